import { join } from 'node:path'
import t from 'tap'
import { filesBelow, installPacked, root } from '../helpers/packed.js'

const documents = ['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']

/** Served as they are written, not compiled. */
const isAsset = (path: string) => path.startsWith('browser/') || path.startsWith('testing/page/')

t.test('the package holds what is built from lib and types, the documents, and nothing else', async t => {
  const { directory } = await installPacked(t)
  const modules = (await filesBelow(join(root, 'lib'))).filter(path => !isAsset(path)).map(path => `lib/${path}`)
  const types = (await filesBelow(join(root, 'types'))).map(path => `types/${path}`)
  const assets = (await filesBelow(join(root, 'lib'))).filter(isAsset).map(path => `dist/lib/${path}`)
  // A declaration file is an input of the browser's type check only.
  const compiled = [...modules, ...types].filter(path => !path.endsWith('.d.ts')).map(path => path.replace(/\.ts$/, ''))
  const expected = [...documents, ...assets, ...compiled.flatMap(path => [`dist/${path}.js`, `dist/${path}.d.ts`])]

  t.strictSame(await filesBelow(join(directory, 'node_modules/fastify-onlyoffice')), expected.sort())
})
