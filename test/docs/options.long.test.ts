import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { root } from '../kit/programs.js'

/** With pages of their own: docs/hooks.md and docs/actions.md. */
const ELSEWHERE = /^(authorize|onCallback|onSaved|onSaveFailed|onFormSubmitted|onSessionStart|onSessionEnd|onForgotten|actions)$/
/** Described as one, with their members in its row. */
const WHOLE = ['versions', 'clock', 'storage', 'httpClient']

t.test('docs/options.md has a row for each option, and for nothing else', async t => {
  const options = await optionsOf('types/options.ts', 'FastifyOnlyofficeOptions')
  const page = await readFile(join(root, 'docs/options.md'), 'utf8')
  const documented = [...page.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name]) => name!)
  t.strictSame(documented.sort(), options.filter(name => !ELSEWHERE.test(name)).sort())
})

/** The names of the members of an interface, and of objects in it. */
async function optionsOf (path: string, name: string): Promise<string[]> {
  const source = ts.createSourceFile(path, await readFile(join(root, path), 'utf8'), ts.ScriptTarget.Latest)
  const declaration = source.statements.find((statement): statement is ts.InterfaceDeclaration =>
    ts.isInterfaceDeclaration(statement) && statement.name.text === name
  )
  return declaration!.members.flatMap(member => namesOf(member))

  function namesOf (member: ts.TypeElement, prefix = ''): string[] {
    const { name, type: declared } = member as ts.PropertySignature
    const path = `${prefix}${(name as ts.Identifier).text}`
    const type = declared && ts.isUnionTypeNode(declared) ? declared.types[0] : declared // the other is undefined
    return type && ts.isTypeLiteralNode(type) && !WHOLE.includes(path) ? type.members.flatMap(inner => namesOf(inner, `${path}.`)) : [path]
  }
}
