import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { memoryStorage } from 'fastify-onlyoffice'
import t, { type Test } from 'tap'
import { createApp } from '../../examples/testing/express/app.js'
import { createService } from '../../examples/testing/fastify/service.js'
import { SECRET } from '../kit/document-server.js'
import { freePort, listen } from '../kit/http.js'
import { plainEnvironment, root, run, temporaryDirectory } from '../kit/programs.js'

t.setTimeout(900_000)
const directory = join(root, 'examples/testing')
const emulator = join(root, 'emulator/dist/lib/cli/main.js')

for (const [folder, count] of [['fastify', 3], ['express', 1]] as const) {
  t.test(`the example tests for applications pass: ${folder}`, async t => {
    const files = (await readdir(join(directory, folder))).filter(name => /\.test\.c?js$/.test(name))
    t.equal(files.length, count)
    for (const file of files) {
      const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', join(directory, folder, file)], { cwd: root, env: plainEnvironment })
      t.match(stdout, /^# fail 0$/m, file)
      t.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) >= 2, `${file}: every test ran`)
    }
  })
}

const python = await run('python3', ['--version']).then(() => true, () => false)

t.test('the example tests for applications pass: Python', { skip: !python && 'python3 is not installed' }, async t => {
  const { stderr } = await run('python3', ['-B', '-m', 'unittest'], {
    cwd: join(directory, 'python'),
    env: { ...plainEnvironment, ONLYOFFICE_EMULATOR: `"${process.execPath}" "${emulator}"` }
  })
  t.match(stderr, /^Ran 5 tests in .*\n\nOK$/m)
})

const DOCUMENTS = Array.from({ length: 80 }, (_, index) => `check${index + 1}.txt`)
const STARTED_BY_PYTHON = `
import sys
from host import Host
host = Host(*sys.argv[1:])
for n in range(1, ${DOCUMENTS.length + 1}):
    host.documents.write(f"check{n}.txt", 1, b"first draft")
print(host.url, flush=True)
host.serve_forever()`

/** Starts an example for a document server, and gives the URLs that `check` needs. */
const started: Readonly<Record<string, (t: Test, documentServer: string) => Promise<readonly [configUrl: string, contentUrl: string]>>> = {
  async fastify (t, documentServer) {
    const server = http.createServer()
    const { origin } = await listen(t, server)
    const app = await createService({ serverFactory: handler => server.on('request', handler) }, {
      editorApiUrl: `${documentServer}/web-apps/apps/api/documents/api.js`,
      jwtSecret: SECRET,
      publicBaseUrl: origin,
      storage: memoryStorage()
    })
    t.teardown(() => app.close())
    await app.ready()
    const { fileId } = await (await fetch(`${origin}/documents/check.txt`, { method: 'POST', body: 'first draft' })).json() as { fileId: string }
    return [`${origin}/documents/${fileId}/config`, `${origin}/documents/${fileId}`]
  },
  async express (t, documentServer) {
    const server = http.createServer()
    const { origin } = await listen(t, server)
    server.on('request', createApp({ jwtSecret: SECRET, documentServer, address: origin, directory: await temporaryDirectory(t) }))
    for (const name of DOCUMENTS) await fetch(`${origin}/documents/${name}`, { method: 'PUT', body: 'first draft' })
    return [`${origin}/documents/check{n}.txt/config`, `${origin}/documents/check{n}.txt`]
  },
  async python (t, documentServer) {
    const child = spawn('python3', ['-B', '-c', STARTED_BY_PYTHON, SECRET, documentServer, await temporaryDirectory(t)], {
      cwd: join(directory, 'python'),
      env: plainEnvironment,
      stdio: ['ignore', 'pipe', 'ignore']
    })
    t.teardown(() => { child.kill() })
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    return [`${line.trim()}/config/check{n}.txt`, `${line.trim()}/documents/check{n}.txt`]
  }
}

for (const [folder, start] of Object.entries(started)) {
  t.test(`the README says what check finds in the example: ${folder}`, { timeout: 600_000, skip: folder === 'python' && !python && 'python3 is not installed' }, async t => {
    const port = await freePort()
    const [configUrl, contentUrl] = await start(t, `http://127.0.0.1:${port}`)
    const { stdout } = await run(process.execPath, [emulator, 'check', '--config-url', configUrl, '--content-url', contentUrl, '--port', String(port), '--format', 'json'], {
      env: { ...plainEnvironment, JWT_SECRET: SECRET }
    })
    const { passed, scenarios } = JSON.parse(stdout) as { passed: boolean, scenarios: Array<{ id: string, result: string }> }
    t.ok(passed)
    t.ok(scenarios.filter(({ result }) => result === 'passed').length > 60)
    const readme = await readFile(join(directory, 'README.md'), 'utf8')
    const [, warnings = ''] = new RegExp(`^\\| ${folder} \\| (.*) \\|$`, 'm').exec(readme)!
    t.same(scenarios.filter(({ result }) => result === 'failed').map(({ id }) => id), [...warnings.matchAll(/`([^`]+)`/g)].map(([, id]) => id))
  })
}
