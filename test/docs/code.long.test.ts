import { basename, dirname, join } from 'node:path'
import { parseFragment } from 'parse5'
import t from 'tap'
import ts from 'typescript'
import { parse as parseYaml } from 'yaml'
import { type Block, markdownFiles, readPage, root } from './markdown.js'

// Compiles blocks of code as a user's editor would: strictly, against the built types of the packages. All in one
// program.

export interface CompiledBlock {
  readonly block: Block
  /** Each as `docs/page.md:12: message`. */
  readonly errors: readonly string[]
  /** The names that it takes from the text around it. */
  readonly borrowed: readonly string[]
  /** Whether it can run as it stands, in Node.js. */
  readonly isProgram: boolean
}

export const COMPILED: ReadonlySet<string> = new Set(['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'])

const PRELUDE = join(root, 'test/docs/prelude.d.ts')
const NOT_ALONE = /^(fastify-onlyoffice\/browser(\/|$)|react|vue|\.)/

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  jsx: ts.JsxEmit.ReactJSX,
  strict: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
  noEmit: true
}

export function compileBlocks (blocks: readonly Block[]): CompiledBlock[] {
  const files = new Map(blocks.map(block => [fileOf(block), block]))
  const program = ts.createProgram([PRELUDE, ...files.keys()], OPTIONS, hostOf(files))
  const checker = program.getTypeChecker()

  return [...files].map(([file, block]) => {
    const source = program.getSourceFile(file)!
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].filter((
      { code }
    ) => !(isJavaScript(block) && isAboutMissingType(code)))
    const names = borrowedNames(source)
    return {
      block,
      errors: diagnostics.map(({ start = 0, messageText }) => {
        const { line } = source.getLineAndCharacterOfPosition(start)
        return `${block.page}:${block.line + 1 + line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
      }),
      borrowed: names,
      isProgram: names.length === 0 && isNodeProgram(source)
    }
  })

  function borrowedNames (source: ts.SourceFile): string[] {
    const names = new Set<string>()
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && checker.getSymbolAtLocation(node)?.declarations?.some(declaration => isInPrelude(declaration))) names.add(node.text)
      ts.forEachChild(node, visit)
    }
    visit(source)
    return [...names]
  }
}

function isJavaScript ({ language }: Block): boolean {
  return !language.includes('ts')
}

/** `noImplicitAny`, and `unknown` where a type would be given: JavaScript has no types. */
function isAboutMissingType (code: number): boolean {
  return (code >= 7000 && code < 8000) || code === 18046
}

function isInPrelude (declaration: ts.Declaration): boolean {
  return ts.isVariableDeclaration(declaration) && declaration.getSourceFile().fileName === PRELUDE
}

/** It imports what it needs, and does more than that. */
function isNodeProgram (source: ts.SourceFile): boolean {
  const imports = source.statements.filter(ts.isImportDeclaration)
  const isPart = imports.some(({ moduleSpecifier }) => NOT_ALONE.test((moduleSpecifier as ts.StringLiteral).text))
  return imports.length > 0 && imports.length < source.statements.length && !isPart &&
    source.statements.some(statement => !ts.isFunctionDeclaration(statement) && !ts.isImportDeclaration(statement))
}

/** Beside its page, or in the folder that a mark names, as a module of its own. */
function fileOf ({ page, line, language, marks }: Block): string {
  return join(root, marks.in ?? dirname(page), `${basename(page)}.${line}.${language}`)
}

function hostOf (files: ReadonlyMap<string, Block>): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = path => files.has(path) || fileExists(path)
  host.readFile = path => files.get(path)?.text ?? readFile(path)
  host.getSourceFile = (path, options, ...others) => {
    const block = files.get(path)
    return block ? ts.createSourceFile(path, block.text, options, true) : getSourceFile(path, options, ...others)
  }
  return host
}

// Every block of code in the Markdown files is what it says it is. A comment before a block, which readers do not see,
// may say
// <!-- run: name -->: it is a program, which programs.long.test.ts runs
// <!-- in: folder -->: where its imports begin
// <!-- not compiled: reason -->

const pages = markdownFiles().map(readPage)
const blocks = pages.flatMap(page => page.blocks)
const results = compileBlocks([...blocks.filter(({ language, marks }) => COMPILED.has(language) && marks['not compiled'] === undefined), ...faultyBlocks()])
const compiled = results.filter(({ block }) => blocks.includes(block))

/** What else can be parsed. Each throws if it cannot. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: text => JSON.parse(text),
  yaml: text => parseYaml(text, { strict: true }),
  html (text) {
    const errors: string[] = []
    parseFragment(text, { onParseError: ({ code, startLine }) => errors.push(`line ${startLine}: ${code}`) })
    if (errors.length > 0) throw new Error(errors.join(', '))
  }
}

/**
 * Without a language it is output or a drawing; `sh` and `nginx` are in commands.test.ts. The others have no
 * parser here.
 */
const OTHERS: ReadonlySet<string> = new Set(['', 'text', 'http', 'sh', 'nginx', 'dockerfile', 'mermaid'])

t.setTimeout(300_000) // the compiler reads the types of all packages

t.test('every block of JavaScript and TypeScript compiles strictly against the built types', async t => {
  t.ok(compiled.length > 20)
  for (const { block, errors } of compiled) t.strictSame(errors, [], titleOf(block))
})

t.test('a block that does not compile says why', async t => {
  const left = blocks.flatMap(({ marks, ...block }) => marks['not compiled'] === undefined ? [] : [`${titleOf(block)}: ${marks['not compiled']}`])
  t.strictSame(left, [], 'none is left out: if one has to be, list it here')
})

t.test('every program is marked to be run, and nothing else is', async t => {
  for (const { block, borrowed, isProgram } of compiled) {
    const isRun = block.marks.run !== undefined
    t.equal(isRun, isProgram, `${titleOf(block)} ${isProgram ? 'can run as it stands: put <!-- run: name --> before it' : isRun ? `cannot run: it needs ${borrowed.join(', ')}` : ''}`)
  }
})

t.test('every block of JSON, YAML and HTML can be parsed', async t => {
  for (const block of blocks) {
    const parse = PARSERS[block.language]
    if (parse) t.doesNotThrow(() => parse(block.text), titleOf(block))
  }
})

t.test('every block has a language that is examined', async t => {
  const unknown = blocks.filter(({ language }) => !COMPILED.has(language) && !Object.hasOwn(PARSERS, language) && !OTHERS.has(language))
  t.strictSame(unknown.map(({ language, ...block }) => `${titleOf(block)}: ${language}`), [])
})

t.test('a block with an error is found: a wrong name, a wrong type, and what is not known', async t => {
  t.strictSame(results.filter(({ block }) => !blocks.includes(block)).map(({ errors }) => errors.length > 0), [true, true, true, false])
})

function faultyBlocks (): Block[] {
  return [
    "await app.editorControl().openDocumnet('report')",
    "await app.register(editor, { ...options, saveRetries: 'two' })",
    "import { nothing } from 'fastify-onlyoffice'",
    'await control.forceSave()' // is right
  ].map((text, line) => ({ page: 'faulty.md', line, language: 'js', text, marks: {} }))
}

function titleOf ({ page, line }: Pick<Block, 'page' | 'line'>): string {
  return `${page}:${line}`
}
