import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { DoctorReport } from '../../types/doctor.js'
import { startHost } from '../kit/host.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { freePort, listen } from '../kit/http.js'
import { installPacked, plainEnvironment, root, run } from '../kit/programs.js'

t.setTimeout(300_000)

const OTHER_SECRET = 'another-secret-0123456789-abcdefghij'
const documentServer = await startDocumentServer(t)
const { EDITOR_API_URL: _, JWT_SECRET: __, PUBLIC_BASE_URL: ___, PORT: ____, ...plain } = plainEnvironment

interface Run {
  readonly args?: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
}

/** With the environment of the application, besides what a test changes. */
function start (t: Test, { args = [], environment = {} }: Run) {
  const child = spawn(process.execPath, ['dist/lib/cli/main.js', 'doctor', ...args], {
    cwd: root,
    env: { ...plain, EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET: SECRET, ...environment },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => { child.kill('SIGKILL') })
  async function ended () {
    const [[code], output, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    return { code, output, errors }
  }
  return { child, ended }
}

const doctor = async (t: Test, run: Run) => await start(t, run).ended()

const freeUrl = async () => `http://127.0.0.1:${await freePort()}`

t.test('a set-up without faults: the command answers the document server itself, prints the report and exits with 0', async t => {
  const port = await freePort()
  const { code, output, errors } = await doctor(t, { environment: { PUBLIC_BASE_URL: `http://127.0.0.1:${port}` } })
  t.equal(code, 0, output + errors)
  t.equal(errors, `Listening on port ${port} for requests of the document server.\n`)
  t.match(output, /\nHealthy: .*\n$/)
  t.match(output, /✓ .*\[DOWNLOAD\]/)
  t.match(output, /– Storage \[STORAGE\]\n {2}Seen: Not examined/)
})

t.test('with --json only the report is printed; --env-file has what the environment has not', async t => {
  const file = join(t.testdir({ '.env': `PUBLIC_BASE_URL=${await freeUrl()}\nJWT_SECRET=${OTHER_SECRET}\n` }), '.env')
  const { code, output } = await doctor(t, { args: ['--json', '--env-file', file] })
  t.equal(code, 0, output)
  const report: DoctorReport = JSON.parse(output)
  t.match(report, { healthy: true, durationMs: Number, startedAt: String })
})

t.test('a wrong secret: exit code 1, the remedy names the setting, and no secret is printed', async t => {
  const file = join(t.testdir({ '.env': `JWT_SECRET=${OTHER_SECRET}\n` }), '.env')
  const { code, output, errors } = await doctor(t, {
    args: ['--env-file', file],
    environment: { JWT_SECRET: '', PUBLIC_BASE_URL: await freeUrl() }
  })
  t.equal(code, 1)
  t.match(output, /^\n✗ .*\[SECRET_INBOX\]\n {2}Fix: .*services\.CoAuthoring\.secret\.inbox/s)
  t.match(output, /\nNot healthy: 1 error, /)
  for (const secret of [OTHER_SECRET, SECRET, 'eyJ', 'signature=']) t.notOk((output + errors).includes(secret), secret)
})

t.test('where the application listens, it answers the document server', async t => {
  // of paths that are not ours, Fastify logs the query
  const { origin } = await startHost(t, { documentServerOrigin: documentServer.url, server: { logger: false } })
  const environment = { PUBLIC_BASE_URL: origin }
  const { code, output, errors } = await doctor(t, { environment })
  t.equal(code, 0, output)
  t.match(errors, /^Not listening, because port \d+ cannot be used \(it is in use\): the application is expected to answer at http:/)
  t.match(output, /✓ .*\[DOWNLOAD\]/)

  const other = await doctor(t, { environment, args: ['--path', '/other'] })
  t.equal(other.code, 1, 'with another path it is not the same handler')
})

t.test('behind a proxy, the command waits at PORT, to which the proxy forwards', async t => {
  const port = await freePort()
  const proxy = http.createServer((request, response) => {
    const { method, headers, url: path } = request
    const forwarded = http.request({ host: '127.0.0.1', port, method, headers, path }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.writeHead(502).end())
    request.pipe(forwarded)
  })
  const { origin } = await listen(t, proxy)
  const healthy = await doctor(t, { environment: { PUBLIC_BASE_URL: origin, PORT: String(port) } })
  t.equal(healthy.code, 0, healthy.output)
  t.match(healthy.errors, `Listening on port ${port}`)

  const { code, output, errors } = await doctor(t, {
    environment: { PUBLIC_BASE_URL: origin.replace('http://', 'https://docs:pass-word@') }
  })
  t.notMatch(output + errors, 'pass-word')
  t.equal(code, 1)
  t.match(errors, /^Not listening, because PUBLIC_BASE_URL is https: /)
})

t.test('wrong usage: exit code 2, a message, and nothing on the standard output', async t => {
  const PUBLIC_BASE_URL = 'http://127.0.0.1:1'
  const wrong: Array<[message: RegExp, run: Run]> = [
    [/not set: JWT_SECRET, PUBLIC_BASE_URL\. /, { environment: { JWT_SECRET: '' } }],
    [/: the secret JWT_SECRET .*openssl rand/, { environment: { PUBLIC_BASE_URL, JWT_SECRET: 'secret' } }],
    [/: the secret JWT_SECRET has 5 bytes.*for this application and the document server\n/, { environment: { PUBLIC_BASE_URL, JWT_SECRET: 'short' } }],
    [/: PUBLIC_BASE_URL \(--public-base-url\) must be the absolute http\(s\) URL/, { args: ['--public-base-url', 'nowhere'] }],
    [/: --profile must be 'secure' or 'classic'/, { environment: { PUBLIC_BASE_URL }, args: ['--profile', 'strict'] }]
  ]
  for (const [message, run] of wrong) {
    const { code, output, errors } = await doctor(t, run)
    t.equal(code, 2, errors)
    t.equal(output, '')
    t.match(errors, message)
    t.match(errors, /\nTry npx fastify-onlyoffice --help\n$/)
  }
})

t.test('colors are forced by FORCE_COLOR and absent in a pipe', async t => {
  const environment = { PUBLIC_BASE_URL: await freeUrl() }
  t.match((await doctor(t, { environment: { ...environment, FORCE_COLOR: '1' } })).output, '\u001b[32m')
  t.notMatch((await doctor(t, { environment })).output, '\u001b')
})

t.test('Ctrl-C ends the command at once', async t => {
  const silent = await listen(t, net.createServer())
  const { child, ended } = start(t, {
    environment: {
      EDITOR_API_URL: `${silent.origin}/web-apps/apps/api/documents/api.js`,
      PUBLIC_BASE_URL: await freeUrl()
    }
  })
  child.stderr.once('data', () => child.kill('SIGINT')) // it listens, and examines next
  const { code, output, errors } = await ended()
  t.equal(code, 130)
  t.equal(output, '')
  t.match(errors, 'interrupted')
})

t.test('a reader that stops does not end the command early', async t => {
  const { child } = start(t, { environment: { PUBLIC_BASE_URL: await freeUrl() } })
  child.stdout.destroy()
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
})

t.test('the package has the command: its help, its version, and a report', async t => {
  const { directory } = await installPacked(t, 'fastify-onlyoffice')
  const installed = join(directory, 'node_modules/fastify-onlyoffice')
  const { bin, version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const command = join(installed, bin['fastify-onlyoffice'])
  t.match(await readFile(command, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  t.equal((await run(process.execPath, [command, '--version'], { env: plain })).stdout, `${version}\n`)
  t.match((await run(process.execPath, [command, '--help'], { env: plain })).stdout, 'npx fastify-onlyoffice doctor')
})
