import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { root } from '../kit/programs.js'

// In the declarations of what the packages export, as the build has written them.

const settings: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true
}

t.setTimeout(300_000)

for (const folder of [root, join(root, 'emulator/')]) {
  const { name, exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string,
    exports: Record<string, string | { types: string }>
  }
  const entries = new Map(
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === 'string' ? [] : [[entry, join(folder, target.types)]]
    )
  )

  t.test(`${name}: nothing that is exported has the type any`, async t => {
    t.strictSame([...entries.values()].filter(file => !existsSync(file)), [], 'all entry points have types')
    const program = ts.createProgram([...entries.values()], settings)
    for (const [entry, file] of entries) {
      const found = anyOf(program, file, join(folder, 'dist'))
      t.ok(found.visited > 1, `${entry}: ${found.visited} types`)
      t.strictSame(found.paths, [], entry)
    }
  })
}

t.test('any is found in members, parameters, results, type arguments and what cannot be resolved', async t => {
  const directory = t.testdir({
    'index.d.ts': `import type { Missing } from 'no-such-package'
import type { Helper } from './helper.js'
export interface Found { member: Helper, list: AsyncIterable<string>, missing?: Missing }
export declare const result: () => Promise<any>
export type Sound = (text: string) => unknown
`,
    'helper.d.ts': 'export interface Helper { call (argument: any): void, map: Map<string, any>, next?: Helper }\n'
  })
  const file = join(directory, 'index.d.ts')
  t.strictSame(anyOf(ts.createProgram([file], settings), file, directory).paths.sort(), [
    'Found.member.call(argument)', 'Found.member.map<1>', 'Found.missing', 'result()<0>'
  ])
})

/** The paths from the exports of a file to types that are `any`. It does not look into types from outside of `own`. */
function anyOf (program: ts.Program, file: string, own: string): { readonly paths: string[], readonly visited: number } {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)!
  const paths: string[] = []
  const visited = new Set<ts.Type>()
  const isOwn = (symbol: ts.Symbol) => symbol.declarations?.some(declaration => declaration.getSourceFile().fileName.startsWith(own)) ?? false

  function visit (type: ts.Type, path: string): void {
    if (type.flags & ts.TypeFlags.Any) paths.push(path)
    if (visited.has(type)) return
    visited.add(type)
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, path)
    if (type.flags & ts.TypeFlags.Object && (type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) {
      const { typeParameters = [] } = (type as ts.TypeReference).target
      for (const [index, argument] of checker.getTypeArguments(type as ts.TypeReference).entries()) {
        // AsyncIterable<T> is AsyncIterable<T, any, any>: such a default is the language's own.
        if (argument !== typeParameters[index]?.getDefault()) visit(argument, `${path}<${index}>`)
      }
    }
    for (const [index, argument] of (type.aliasTypeArguments ?? []).entries()) visit(argument, `${path}<${index}>`)
    if (type.symbol && !isOwn(type.symbol)) return
    for (const { keyType, type: value } of checker.getIndexInfosOfType(type)) visit(value, `${path}[${checker.typeToString(keyType)}]`)
    for (const property of checker.getPropertiesOfType(type).filter(property => isOwn(property) && property.name !== '#private')) {
      visit(checker.getTypeOfSymbol(property), `${path}.${property.name}`)
    }
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.parameters) visit(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
      visit(signature.getReturnType(), `${path}()`)
    }
  }

  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    if (target.flags & ts.SymbolFlags.Value) visit(checker.getTypeOfSymbol(target), symbol.name)
    if (target.flags & ts.SymbolFlags.Type) visit(checker.getDeclaredTypeOfSymbol(target), symbol.name)
  }
  // What they add to Fastify's own types.
  for (const added of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(own))) {
    for (const statement of added.statements) {
      if (ts.isModuleDeclaration(statement) && statement.body) {
        ts.forEachChild(statement.body, node => {
          if (ts.isInterfaceDeclaration(node)) {
            for (const member of node.members) {
              visit(checker.getTypeAtLocation(member), `${node.name.text}.${member.name?.getText()}`)
            }
          }
        })
      }
    }
  }
  return { paths, visited: visited.size }
}
