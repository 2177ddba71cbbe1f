import t from 'tap'
import { cycles, forbiddenImports, longFiles, nonExports, runtimeCode } from './check.js'
import { emulator, type Layout, plugin } from './rules.js'
import { readSources } from './source.js'

interface House {
  readonly folder: string
  readonly layout: Layout
  readonly indexes: readonly string[]
}

const houses: Readonly<Record<string, House>> = {
  'fastify-onlyoffice': { folder: '.', layout: plugin, indexes: ['lib/index.ts', 'lib/testing/index.ts'] },
  'onlyoffice-emulator': { folder: 'emulator', layout: emulator, indexes: ['lib/index.ts'] }
}

for (const [name, { folder, layout, indexes }] of Object.entries(houses)) {
  const sources = readSources(folder)
  const only = (isMeant: (path: string) => boolean) => Object.fromEntries(Object.entries(sources).filter(([path]) => isMeant(path)))

  t.test(`${name}: a module imports only what the layout allows its folder`, async t => {
    t.strictSame(forbiddenImports(sources, layout), [])
  })

  t.test(`${name}: no modules need each other to run`, async t => {
    t.strictSame(cycles(sources), [])
  })

  t.test(`${name}: an index names exports and does nothing else`, async t => {
    const found = only(path => path.endsWith('/index.ts'))
    t.strictSame(Object.keys(found).sort(), indexes)
    t.strictSame(nonExports(found), [])
  })

  t.test(`${name}: the contracts in types have no code that runs`, async t => {
    t.strictSame(runtimeCode(only(path => path.startsWith('types/'))), [])
  })

  t.test(`${name}: no file is longer than 200 lines`, async t => {
    t.strictSame(longFiles(sources), [])
  })
}
