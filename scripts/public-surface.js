// Writes docs/public-surface.md: every name that the package promises, from the types that it publishes, which must be
// built. With --check it writes nothing, and fails if the page is not up to date, or if a name has come or gone since
// the last release without being mentioned in the changelog.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const PAGE = 'docs/public-surface.md'
const project = fileURLToPath(new URL('..', import.meta.url))
process.chdir(project)

const { name, exports } = JSON.parse(await readFile('package.json', 'utf8'))
const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, project)
/** @type {Array<[subpath: string, file: string]>} */
const entries = Object.entries(exports).flatMap(([subpath, { types }]) => types ? [[subpath, types]] : [])
const program = ts.createProgram(entries.map(([, file]) => file), options)
const checker = program.getTypeChecker()

/** The names of a type's members, with those of unnamed types within it, or the strings that it may be.
 * @param {ts.Type} type @param {string} prefix @returns {string[]} */
function membersOf (type, prefix = '') {
  const parts = type.isUnion() ? type.types : [type]
  const strings = prefix === '' ? parts.flatMap(part => part.isStringLiteral() ? [part.value] : []).sort() : []
  const names = parts.filter(part => part.flags & ts.TypeFlags.Object).flatMap(part =>
    checker.getPropertiesOfType(part).filter(isOurs).flatMap(member => {
      const path = prefix + member.name
      const inner = checker.getNonNullableType(checker.getTypeOfSymbol(member))
      return isUnnamed(inner) ? [path, ...membersOf(inner, `${path}.`)] : [path]
    })
  )
  return [...new Set([...strings, ...names])]
}

/** @param {ts.Type} type */
function isUnnamed ({ symbol, aliasSymbol }) {
  return aliasSymbol === undefined && (symbol?.flags & ts.SymbolFlags.TypeLiteral) !== 0 && isOurs(symbol)
}

/** Not of JavaScript, Fastify or the editor's own types. @param {ts.Symbol} symbol */
function isOurs (symbol) {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  return file.startsWith(`${project}dist/`)
}

/** @param {ts.Symbol} exported */
function lineOf (exported) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0
  const members = symbol.flags & ts.SymbolFlags.Type ? membersOf(checker.getDeclaredTypeOfSymbol(symbol)) : []
  const shown = members.length === 0 ? '' : `: ${members.map(member => `\`${member}\``).join(', ')}`
  return `- ${isValue ? `**\`${exported.name}\`**` : `\`${exported.name}\``}${shown}\n`
}

const sections = entries.flatMap(([subpath, file]) => {
  const module = checker.getSymbolAtLocation(/** @type {ts.SourceFile} */ (program.getSourceFile(file)))
  const symbols = module ? checker.getExportsOfModule(module).filter(isOurs) : []
  const lines = symbols.sort((a, b) => a.name < b.name ? -1 : 1).map(lineOf)
  return lines.length === 0 ? [] : [`## ${name}${subpath.slice(1)}\n\n${lines.join('')}`]
})

/** What the plugin adds to Fastify's own types. */
const augmented = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${project}dist/`))
  .flatMap(({ statements }) => statements.filter(ts.isModuleDeclaration))
  .flatMap(({ body }) => body && ts.isModuleBlock(body) ? body.statements.filter(ts.isInterfaceDeclaration) : [])
  .map(({ name, members }) => `- \`${name.text}\`: ${members.map(member => `\`${member.name?.getText()}\``).join(', ')}\n`)

const page = `# The public surface

Every name that the package promises ([what that means](../CHANGELOG.md)): what each module exports, with the members of
its types; values are bold. Made by \`npm run docs:surface\`.

${sections.join('\n')}
## Added to other modules

${augmented.join('')}`

/** @param {string} text */
const namesIn = text => new Set(text.match(/(?<=`)[\w$:./-]+(?=`)/g))

if (!process.argv.includes('--check')) {
  await writeFile(PAGE, page)
} else {
  if (await readFile(PAGE, 'utf8') !== page) throw new Error(`${PAGE} is not up to date: run npm run docs:surface`)
  const [unreleased = '', ...released] = (await readFile('CHANGELOG.md', 'utf8')).split(/^## /m).slice(1)
  const version = /^\[([\d.]+)\]/.exec(released[0] ?? '')?.[1]
  if (version !== undefined) {
    const before = namesIn(execFileSync('git', ['show', `v${version}:${PAGE}`], { encoding: 'utf8' }))
    const now = namesIn(page)
    const mentioned = namesIn(unreleased)
    const changed = [...before, ...now].filter(name => before.has(name) !== now.has(name) && !mentioned.has(name))
    if (changed.length > 0) throw new Error(`CHANGELOG.md says nothing about ${changed.join(', ')}`)
  }
}
