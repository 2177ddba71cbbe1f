import t from 'tap'
import { cycles, forbiddenImports, longFiles, nonExports, runtimeCode } from './check.js'
import { plugin } from './rules.js'
import { readSources } from './source.js'

const sources = readSources()
const only = (pattern: RegExp) => Object.fromEntries(Object.entries(sources).filter(([path]) => pattern.test(path)))

t.test('a module imports only what the layout allows its folder', async t => {
  t.strictSame(forbiddenImports(sources, plugin), [])
})

t.test('no modules need each other to run', async t => {
  t.strictSame(cycles(sources), [])
})

t.test('an index names exports and does nothing else', async t => {
  const indexes = only(/^lib\/(testing\/)?index\.ts$/)
  t.equal(Object.keys(indexes).length, 2)
  t.strictSame(nonExports(indexes), [])
})

t.test('the contracts in types have no code that runs', async t => {
  t.strictSame(runtimeCode(only(/^types\//)), [])
})

t.test('no file is longer than 200 lines', async t => {
  t.strictSame(longFiles(sources), [])
})
