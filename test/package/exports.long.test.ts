import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { installPacked, plainEnvironment, run } from '../kit/programs.js'

// Prints which exports of the ES module require() does not give, and which it gives that are no exports.
const PROGRAM = `
const editor = require('fastify-onlyoffice')

import('fastify-onlyoffice').then(({ default: plugin, 'module.exports': _, ...named }) => {
  console.log(JSON.stringify({
    plugin: typeof editor === 'function' && editor === plugin,
    names: Object.keys(named),
    missing: Object.keys(named).filter(name => editor[name] !== named[name]),
    surplus: Object.keys(editor).filter(name => !(name in named) && editor[name] !== plugin)
  }))
})
`

t.setTimeout(300_000)

t.test('require() returns the plugin with every named export', async t => {
  const { directory } = await installPacked(t, 'fastify-onlyoffice')
  await writeFile(join(directory, 'compare.cjs'), PROGRAM)
  const { stdout } = await run(process.execPath, ['compare.cjs'], { cwd: directory, env: plainEnvironment })
  const { plugin, names, missing, surplus } = JSON.parse(stdout)

  t.equal(plugin, true)
  for (const name of ['fileStorage', 'guardedDispatcher', 'memoryStorage', 'undiciClient', 'FileNotFoundError']) t.ok(names.includes(name), name)
  t.strictSame(missing, [])
  t.strictSame(surplus, [])
})

t.test('the testing entry point has its exports and does not include the document server', async t => {
  const { directory } = await installPacked(t, 'fastify-onlyoffice')
  await writeFile(join(directory, 'kit.mjs'), "import * as kit from 'fastify-onlyoffice/conformance'\nconsole.log(Object.keys(kit).join(' '))\n")
  const { stdout } = await run(process.execPath, ['kit.mjs'], { cwd: directory, env: plainEnvironment })
  t.equal(stdout, 'httpClientConformance storageConformance\n')
})

t.test('no entry point loads TypeBox, whose schemas are compiled by the build', async t => {
  const { directory } = await installPacked(t, 'fastify-onlyoffice')
  await writeFile(join(directory, 'entries.mjs'), `
for (const entry of ['', '/conformance', '/s3', '/postgres']) await import('fastify-onlyoffice' + entry)
await import('typebox').catch(error => console.log(error.code))
`)
  const { stdout } = await run(process.execPath, ['entries.mjs'], { cwd: directory, env: plainEnvironment })
  t.equal(stdout, 'ERR_MODULE_NOT_FOUND\n')
})

t.test('the emulator package works by itself in a project that has no other package', async t => {
  const { directory } = await installPacked(t, 'onlyoffice-emulator')
  await writeFile(join(directory, 'start.mjs'), `
import * as emulator from 'onlyoffice-emulator'

const server = await emulator.createDocumentServer({ jwtSecret: 'secret' })
const health = await (await fetch(server.url + '/healthcheck')).text()
await server.close()
console.log(Object.keys(emulator).join(' '), health)
`)
  const { stdout } = await run(process.execPath, ['start.mjs'], { cwd: directory, env: plainEnvironment })
  t.equal(stdout, 'connectDocumentServer createDocumentServer fakeClock true\n')
})
