import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** Source text by path from the package's root, with slashes. */
export type Sources = Readonly<Record<string, string>>

export interface Import {
  readonly from: string
  /** A file of ours by its path, anything else by its specifier. */
  readonly to: string
  /** Leaves nothing behind when compiled. */
  readonly typeOnly: boolean
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Every file of a package's lib and types, by its path from the package's root. */
export function readSources (packageFolder = '.'): Sources {
  const base = join(root, packageFolder, '/')
  return Object.fromEntries(['lib', 'types']
    .flatMap(folder => readdirSync(join(base, folder), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => [path.slice(base.length).replaceAll('\\', '/'), readFileSync(path, 'utf8')]))
}

export const isModule = (path: string) => /\.(ts|js)$/.test(path)

export function parse (path: string, source: string): ts.SourceFile {
  return ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
}

/** All that a module names in an import, an export from, an import type, import() or require(). */
export function importsOf (path: string, source: string): Import[] {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    // What is imported can't be known: no rule allows it.
    const to = specifier && ts.isStringLiteralLike(specifier) ? resolve(path, specifier.text) : '(computed)'
    found.push({ from: path, to, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, node.isTypeOnly)
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false)
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    } else if (ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require')) {
      add(node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(path, source))
  return found
}

function resolve (from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier
  const path = posix.join(posix.dirname(from), specifier)
  return from.endsWith('.ts') ? path.replace(/\.js$/, '.ts') : path
}
