import t from 'tap'
import { cycles, forbiddenImports, longFiles, nonExports, runtimeCode } from './check.js'
import { emulator, plugin } from './rules.js'

// Proves that the checks of layout.test.ts can fail.

const files = Object.fromEntries([
  'lib/plugin.ts', 'lib/errors.ts', 'lib/storage/file-storage.ts', 'lib/http/undici-client.ts', 'lib/handler/route.ts', 'lib/save/save.ts',
  'lib/security/handler-urls.ts', 'lib/control/control.ts', 'lib/document-server/formats.ts', 'lib/document-server/conversion.ts', 'lib/testing/index.ts',
  'lib/browser/editor.js', 'types/storage.ts'
].map(path => [path, '']))

const withSource = (path: string, source: string) => forbiddenImports({ ...files, [path]: source }, plugin)

const forbidden: ReadonlyArray<readonly [path: string, source: string, to: string]> = [
  ['lib/save/save.ts', "import { fileStorage } from '../storage/file-storage.js'", 'lib/storage/file-storage.ts'],
  ['lib/save/save.ts', "import type { Store } from '../storage/file-storage.js'", 'lib/storage/file-storage.ts'],
  ['lib/save/save.ts', "import '../handler/route.js'", 'lib/handler/route.ts'],
  ['lib/save/save.ts', "export * from '../control/control.js'", 'lib/control/control.ts'],
  ['lib/save/save.ts', "const load = () => import('../http/undici-client.js')", 'lib/http/undici-client.ts'],
  ['lib/save/save.ts', "type Urls = import('../control/control.js').Control", 'lib/control/control.ts'],
  ['lib/save/save.ts', "import route = require('../handler/route.js')", 'lib/handler/route.ts'],
  ['lib/save/save.ts', "import { readFile } from 'node:fs/promises'", 'node:fs/promises'],
  ['lib/save/save.ts', "import { readFile } from 'fs/promises'", 'fs/promises'],
  ['lib/save/save.ts', "import { request } from 'undici'", 'undici'],
  ['lib/save/save.ts', "import { request } from 'node:http'", 'node:http'],
  ['lib/save/save.ts', 'const load = (name: string) => import(name)', '(computed)'],
  ['lib/save/save.ts', "import { gone } from '../outbound/gone.js'", 'lib/outbound/gone.ts'],
  ['lib/control/control.ts', "import { createSigner } from 'fast-jwt'", 'fast-jwt'],
  ['lib/security/file-id.ts', "import type { Control } from '../control/control.js'", 'lib/control/control.ts'],
  ['lib/storage/file-storage.ts', "import { convert } from '../document-server/conversion.js'", 'lib/document-server/conversion.ts'],
  ['lib/plugin.ts', "import { storageConformance } from './testing/index.js'", 'lib/testing/index.ts'],
  ['lib/testing/index.ts', "import { createDocumentServer } from 'onlyoffice-emulator'", 'onlyoffice-emulator'],
  ['lib/testing/index.ts', "import { createDocumentServer } from '../../emulator/lib/index.js'", 'emulator/lib/index.ts'],
  ['lib/testing/index.ts', "export { fileStorage } from '../storage/file-storage.js'", 'lib/storage/file-storage.ts'],
  ['lib/browser/editor.js', "import { errors } from '../errors.ts'", 'lib/errors.ts'],
  ['lib/newcomer/thing.ts', "import { createHash } from 'node:crypto'", 'node:crypto'],
  ['types/storage.ts', "import type { Failure } from '../lib/errors.js'", 'lib/errors.ts']
]

for (const [path, source, to] of forbidden) {
  t.test(`${path} must not: ${source}`, async t => {
    t.strictSame(withSource(path, source), [`${path} imports ${to}`])
  })
}

t.test('lib/create.ts of the emulator must not import the plugin', async t => {
  for (const [source, to] of [['../../lib/errors.js', '../lib/errors.ts'], ['fastify-onlyoffice/testing', 'fastify-onlyoffice/testing']]) {
    t.strictSame(forbiddenImports({ 'lib/create.ts': `import '${source}'` }, emulator), [`lib/create.ts imports ${to}`])
  }
})

t.test('what the layout allows is not reported', async t => {
  t.strictSame(withSource('lib/plugin.ts', "import { fileStorage } from './storage/file-storage.js'\nimport type { Storage } from '../types/storage.js'"), [])
  t.strictSame(withSource('lib/control/control.ts', "import type { HandlerUrls } from '../security/handler-urls.js'"), [])
  t.strictSame(withSource('lib/http/undici-client.ts', "import { request } from 'undici'"), [])
  t.strictSame(withSource('lib/save/save.ts', "// import '../storage/file-storage.js'\nconst text = \"import 'undici'\""), [])
})

t.test('a cycle is found when it exists at runtime', async t => {
  const a = "import { b } from './b.js'"
  t.strictSame(cycles({ 'lib/a.ts': a, 'lib/b.ts': "import { c } from './c.js'", 'lib/c.ts': "export * from './a.js'" }), ['lib/a.ts → lib/b.ts → lib/c.ts → lib/a.ts'])
  t.strictSame(cycles({ 'lib/a.ts': a, 'lib/b.ts': "import { type A } from './a.js'" }), ['lib/a.ts → lib/b.ts → lib/a.ts'], 'the import stays, only its name goes')
  t.strictSame(cycles({ 'lib/a.ts': a, 'lib/b.ts': "import type { A } from './a.js'" }), [])
})

t.test('code in an index is found', async t => {
  t.strictSame(nonExports({ 'lib/index.ts': "export * from './a.js'\nexport type { B } from './b.js'\nexport const c = 1\nimport './d.js'" }), [
    'lib/index.ts: export const c = 1',
    "lib/index.ts: import './d.js'"
  ])
})

t.test('code in a contract is found', async t => {
  t.strictSame(runtimeCode({ 'types/a.ts': "import type { B } from './b.js'\nexport interface A extends B {}\ndeclare module 'fastify' { interface FastifyInstance { a: A } }" }), [])
  t.strictSame(runtimeCode({ 'types/a.ts': 'export const a = 1' }), ['types/a.ts: export const a = 1;'])
  t.strictSame(runtimeCode({ 'types/a.ts': "import { B } from './b.js'\nexport type A = B" }), ["types/a.ts: import { B } from './b.js';"])
})

t.test('a file of 201 lines is found', async t => {
  t.strictSame(longFiles({ 'lib/a.ts': 'x\n'.repeat(200) }), [])
  t.strictSame(longFiles({ 'lib/a.ts': 'x\n'.repeat(201) }), ['lib/a.ts: 201 lines'])
})
