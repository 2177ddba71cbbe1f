import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { filesBelow, installPacked, type PackageName, root } from '../kit/programs.js'

interface Expected {
  readonly folder: string
  readonly documents: readonly string[]
  /** Served as they are, not compiled. */
  readonly assets: RegExp
  /** What is made of them. */
  readonly bundle?: RegExp
  /** Whether other packages may import them, with types. */
  readonly hasAssetTypes: boolean
  /** In `dist/lib`: what the build copies from other packages, and their licenses. */
  readonly ofOtherPackages?: readonly string[]
}

/** For people who change the code. They are read in the repository. */
const FOR_CONTRIBUTORS = /^decisions\//
const docs = (await filesBelow(join(root, 'docs'))).filter(file => !FOR_CONTRIBUTORS.test(file)).map(file => `docs/${file}`)

/** What the import map of the editor's page names. */
const page = await readFile(join(root, 'emulator/lib/page/browser/index.html'), 'utf8')
const { imports } = JSON.parse(/<script type="importmap">([^]*?)<\/script>/.exec(page)![1]!) as { readonly imports: Readonly<Record<string, string>> }

const packages: Readonly<Record<PackageName, Expected>> = {
  'fastify-onlyoffice': {
    folder: '.',
    documents: ['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json', ...docs],
    assets: /^(browser|control\/languages)\/|^blank\/.*(?<!\.ts)$/,
    bundle: /^assets\//,
    hasAssetTypes: true
  },
  'onlyoffice-emulator': {
    folder: 'emulator',
    documents: ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
    assets: /^(page\/browser|text)\/.*(?<!\.d\.ts)$|^documents\/empty-files\//,
    hasAssetTypes: false,
    ofOtherPackages: [
      ...Object.values(imports).map(path => join('page/browser', path)),
      'page/browser/vendor/licenses.txt',
      'documents/converter/pdfkit.js.licenses.txt'
    ]
  }
}

for (const [name, { folder, documents, assets, bundle = assets, hasAssetTypes, ofOtherPackages = [] }] of Object.entries(packages)) {
  t.test(`${name} contains what is built from its lib and types, its documents, and nothing else`, async t => {
    const isAsset = (path: string) => assets.test(path)
    const { directory } = await installPacked(t, name as PackageName)
    const lib = await filesBelow(join(root, folder, 'lib'))
    const types = await filesBelow(join(root, folder, 'types'))
    const isBundled = (path: string) => bundle.test(path)
    const modules = [...lib.filter(path => !isAsset(path) && !isBundled(path)).map(path => `lib/${path}`), ...types.map(path => `types/${path}`)]
    // Elsewhere a declaration file is an input of the browser's type check only.
    // A schema is an input of the build only.
    const compiled = modules.filter(path => !path.endsWith('.d.ts') && !path.endsWith('.schema.ts')).map(path => path.replace(/\.ts$/, ''))
    const expected = [
      ...documents,
      ...ofOtherPackages.map(path => `dist/lib/${path}`),
      ...lib.filter(path => isBundled(path) && !isAsset(path)).map(path => `dist/lib/${path}`),
      ...lib.filter(isAsset).flatMap(path => [`dist/lib/${path}`, ...hasAssetTypes && path.endsWith('.js') ? [`dist/lib/${path.replace(/\.js$/, '.d.ts')}`] : []]),
      ...compiled.flatMap(path => [`dist/${path}.js`, `dist/${path}.d.ts`])
    ]
    t.strictSame(await filesBelow(join(directory, 'node_modules', name)), expected.sort())
  })
}
