import { parseFragment } from 'parse5'
import t from 'tap'
import { parse as parseYaml } from 'yaml'
import { type Block, markdownFiles, readPage } from './markdown.js'
import { COMPILED, compileBlocks } from './compile.js'

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
 * Without a language it is output or a drawing; `sh` and `nginx` are in commands.test.ts. There is no parser here for
 * the others.
 */
const OTHERS: ReadonlySet<string> = new Set(['', 'text', 'http', 'sh', 'nginx', 'dockerfile', 'vue'])

t.setTimeout(120_000) // the compiler reads the types of all packages

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
