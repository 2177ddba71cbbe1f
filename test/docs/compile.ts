import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { type Block, root } from './markdown.js'

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
/** Stand in for packages that are not installed. */
const STUBS = join(root, 'test/docs/stubs.d.ts')
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
  const program = ts.createProgram([PRELUDE, STUBS, ...files.keys()], OPTIONS, hostOf(files))
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
