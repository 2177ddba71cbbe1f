import { join } from 'node:path'
import t from 'tap'
import { filesBelow, installPacked, type PackageName, root } from '../helpers/packed.js'

interface Expected {
  readonly folder: string
  readonly documents: readonly string[]
  /** Served as they are written, not compiled. */
  readonly assets: string
  /** Whether other packages may import them, with types. */
  readonly hasAssetTypes: boolean
}

/** Pictures are shown from the repository, as are hundreds of links to tests in the page about the protocol. */
const docs = (await filesBelow(join(root, 'docs'))).filter(file => file !== 'document-server-protocol.md').map(file => `docs/${file}`)

const packages: Readonly<Record<PackageName, Expected>> = {
  'fastify-onlyoffice': {
    folder: '.',
    documents: ['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'UPGRADING.md', 'package.json', ...docs],
    assets: 'browser/',
    hasAssetTypes: true
  },
  'onlyoffice-emulator': {
    folder: 'emulator',
    documents: ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
    assets: 'browser/',
    hasAssetTypes: false
  }
}

for (const [name, { folder, documents, assets, hasAssetTypes }] of Object.entries(packages)) {
  t.test(`${name} contains what is built from its lib and types, its documents, and nothing else`, async t => {
    const isAsset = (path: string) => path.startsWith(assets)
    const { directory } = await installPacked(t, name as PackageName)
    const lib = await filesBelow(join(root, folder, 'lib'))
    const types = await filesBelow(join(root, folder, 'types'))
    const modules = [...lib.filter(path => !isAsset(path)).map(path => `lib/${path}`), ...types.map(path => `types/${path}`)]
    // A declaration file is an input of the browser's type check only.
    // A schema is an input of the build only.
    const compiled = modules.filter(path => !path.endsWith('.d.ts') && !path.endsWith('.schema.ts')).map(path => path.replace(/\.ts$/, ''))
    const expected = [
      ...documents,
      ...lib.filter(isAsset).flatMap(path => [`dist/lib/${path}`, ...hasAssetTypes ? [`dist/lib/${path.replace(/\.js$/, '.d.ts')}`] : []]),
      ...compiled.flatMap(path => [`dist/${path}.js`, `dist/${path}.d.ts`])
    ]
    t.strictSame(await filesBelow(join(directory, 'node_modules', name)), expected.sort())
  })
}
