import ts from 'typescript'
import { compiled } from '../../scripts/compiled.js'
import type { Layout } from './rules.js'
import { type Import, importsOf, isModule, parse, type Sources } from './source.js'

const MAX_LINES = 200

/** One line for each import the layout forbids. */
export function forbiddenImports (sources: Sources, layout: Layout): string[] {
  return allImports(sources).filter(each => !isAllowed(each, sources, layout)).map(({ from, to }) => `${from} imports ${to}`)
}

function isAllowed ({ from, to }: Import, sources: Sources, { rooms, restricted }: Layout): boolean {
  const allowed = Object.hasOwn(rooms, roomOf(from)) ? rooms[roomOf(from)] : undefined
  if (allowed === undefined) return false // a room without rules
  if (!/^(lib|types)\//.test(to)) {
    return restricted.every(([specifier, places]) => !specifier.test(to) || places.some(place => from.startsWith(place)))
  }
  if (!(to in sources)) return false
  return roomOf(from) === roomOf(to) || allowed.some(name => name === roomOf(to) || `lib/${name}` === to)
}

function roomOf (path: string): string {
  return path.startsWith('types/') ? 'types' : path.split('/')[1]!.replace(/\.ts$/, '')
}

/** Each chain of modules that need each other to run, once: `a → b → a`. */
export function cycles (sources: Sources): string[] {
  const needs = new Map<string, string[]>()
  for (const { from, to, typeOnly } of allImports(sources)) {
    if (!typeOnly) needs.set(from, [...needs.get(from) ?? [], to])
  }
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      found.push([...way.slice(way.indexOf(path)), path].join(' → '))
    } else if (!done.has(path)) {
      for (const next of needs.get(path) ?? []) visit(next, [...way, path])
      done.add(path)
    }
  }
  for (const path of needs.keys()) visit(path, [])
  return found
}

/** What an index does beside naming its exports. */
export function nonExports (sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) => parse(path, source).statements
    .filter(statement => !(ts.isExportDeclaration(statement) && statement.moduleSpecifier))
    .map(statement => `${path}: ${statement.getText()}`))
}

/** What is left of the contracts when they are compiled. */
export function runtimeCode (sources: Sources): string[] {
  return Object.entries(sources)
    .filter(([path, source]) => !path.endsWith('.d.ts') && compiled(source) !== '')
    .map(([path, source]) => `${path}: ${compiled(source)}`)
}

export function longFiles (sources: Sources): string[] {
  return Object.entries(sources).map(([path, source]) => [path, source.trimEnd().split('\n').length] as const)
    .filter(([, lines]) => lines > MAX_LINES).map(([path, lines]) => `${path}: ${lines} lines`)
}

function allImports (sources: Sources): Import[] {
  return Object.entries(sources).filter(([path]) => isModule(path)).flatMap(([path, source]) => importsOf(path, source))
    .map(each => ({ ...each, to: written(each.to, sources) }))
}

/** A script that the browser gets as it is written is a module of ours by the declaration beside it. */
function written (path: string, sources: Sources): string {
  const name = path.replace(/\.ts$/, '')
  return !(path in sources) && `${name}.d.ts` in sources ? `${name}.js` : path
}
