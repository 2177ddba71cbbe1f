import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { DoctorReport } from '../../types/doctor.js'
import { HANDLER, startHost } from '../kit/host.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { listen } from '../kit/http.js'
import { installPacked, plainEnvironment, root, run } from '../kit/programs.js'

t.setTimeout(300_000)

const OTHER_SECRET = 'another-secret-0123456789-abcdefghij'
const documentServer = await startDocumentServer(t)

function start (t: Test, args: readonly string[], environment: NodeJS.ProcessEnv = { JWT_SECRET: SECRET }) {
  const child = spawn(process.execPath, ['--import', './scripts/typescript/register.js', 'lib/cli/main.ts', ...args], {
    cwd: root,
    env: { ...plainEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => { child.kill('SIGKILL') })
  async function ended () {
    const [[code], output, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    return { code, output, errors }
  }
  return { child, ended }
}

const doctor = async (t: Test, args: readonly string[], environment?: NodeJS.ProcessEnv) =>
  await start(t, ['doctor', '--editor-api-url', documentServer.editorApiUrl, ...args], environment).ended()

/** A port on which nothing listens at the moment. */
async function freePort (): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

t.test('a set-up without faults: the command answers the document server itself, prints the report and exits with 0', async t => {
  const port = await freePort()
  const { code, output, errors } = await doctor(t, ['--public-base-url', `http://127.0.0.1:${port}`])
  t.equal(code, 0, output + errors)
  t.equal(errors, `Listening on port ${port} for requests of the document server.\n`)
  t.match(output, /\nHealthy: 0 errors, .*\n$/)
  t.match(output, /✓ .*\[DOWNLOAD\]/)
  t.match(output, /– Storage \[STORAGE\]\n {2}Not examined/)
  t.ok(output.split('\n').every(line => line.length <= 100))
})

t.test('with --json only the report is printed', async t => {
  const { code, output } = await doctor(t, ['--json', '--public-base-url', `http://127.0.0.1:${await freePort()}`])
  t.equal(code, 0)
  const report: DoctorReport = JSON.parse(output)
  t.match(report, { healthy: true, duration: Number, startedAt: String })
})

t.test('a wrong secret: exit code 1, the remedy names the setting, and no secret is printed', async t => {
  const { code, output, errors } = await doctor(t, [
    '--jwt-secret-env',
    'MY_SECRET',
    '--public-base-url',
    `http://127.0.0.1:${await freePort()}`
  ], { MY_SECRET: OTHER_SECRET })
  t.equal(code, 1)
  t.match(output, /^\n✗ ERROR .*\[SECRET_INBOX\]\n {2}Fix: .*services\.CoAuthoring\.secret\.inbox/s)
  t.match(output, /\nNot healthy: 1 error, /)
  for (const secret of [OTHER_SECRET, SECRET, 'eyJ', 'signature=']) t.notOk((output + errors).includes(secret), secret)
})

t.test('a document server that is not there: exit code 1', async t => {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const { code, output } = await start(t, [
    'doctor',
    '--editor-api-url',
    `${nowhere}/web-apps/apps/api/documents/api.js`,
    '--public-base-url',
    `http://127.0.0.1:${await freePort()}`,
    '--json'
  ]).ended()
  t.equal(code, 1)
  const { findings }: DoctorReport = JSON.parse(output)
  t.match(findings.filter(({ status }) => status === 'error'), [{ code: 'SERVER_REFUSED' }])
})

t.test('where the application listens, it answers the document server', async t => {
  // of paths that are not ours, Fastify logs the query
  const { origin } = await startHost(t, { documentServerOrigin: documentServer.url, server: { logger: false } })
  const { code, output, errors } = await doctor(t, ['--public-base-url', origin])
  t.equal(code, 0, output)
  t.match(errors, /^Not listening, because port \d+ cannot be used \(it is in use\): the application is expected to answer at http:/)
  t.match(output, /✓ .*\[DOWNLOAD\]/)

  const other = await doctor(t, ['--public-base-url', origin, '--path', '/other'])
  t.equal(other.code, 1, 'with another path it is not the same handler')
})

t.test('where something else listens, that is found', async t => {
  const { origin } = await listen(t, http.createServer((_request, response) => response.end('something else')))
  const { code, output } = await doctor(t, ['--public-base-url', origin])
  t.equal(code, 1)
  t.match(output, '[PUBLIC_URL_NOT_OURS]')
})

t.test('behind a proxy, --listen waits where the proxy forwards to; --listen none waits nowhere', async t => {
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
  const healthy = await doctor(t, ['--public-base-url', origin, '--listen', `127.0.0.1:${port}`])
  t.equal(healthy.code, 0, healthy.output)
  t.match(healthy.errors, `Listening on port ${port}`)

  const { code, output, errors } = await doctor(t, ['--public-base-url', origin.replace('//', '//docs:pass-word@'), '--listen', 'none'])
  t.notMatch(output + errors, 'pass-word')
  t.equal(code, 1)
  t.match(errors, /^Not listening: /)
})

t.test('--storage examines the directory of the documents and leaves nothing there; --file-id looks for a document', async t => {
  const directory = t.testdir({ 'report.docx': 'x' })
  const url = `http://127.0.0.1:${await freePort()}`
  const { code, output } = await doctor(t, ['--public-base-url', url, '--storage', directory, '--file-id', 'report', '--json'])
  t.equal(code, 0, output)
  const { findings }: DoctorReport = JSON.parse(output)
  t.match(findings.find(finding => finding.code === 'STORAGE'), { status: 'ok' })
  t.match(findings.find(finding => finding.code === 'OPENING_FILE'), { status: 'ok', evidence: /docx/ })
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.')), ['report.docx'])

  const absent = await doctor(t, ['--public-base-url', url, '--storage', directory, '--file-id', 'absent'])
  t.equal(absent.code, 1)
  t.match(absent.output, '[OPENING_NO_FILE]')
})

t.test('wrong usage: exit code 2, a message, and nothing on the standard output', async t => {
  const file = join(t.testdir(), 'file')
  await writeFile(file, 'not a certificate')
  const base = ['--public-base-url', 'http://127.0.0.1:1']
  const wrong: Array<[args: string[], message: RegExp, environment?: NodeJS.ProcessEnv]> = [
    [['--public-url', 'x'], /unknown option --public-url: did you mean --public-base-url\?/],
    [base, /--jwt-secret-env/, {}],
    [base, /the secret that --jwt-secret-env names .*openssl rand/, { JWT_SECRET: 'secret' }],
    [['--public-base-url', 'nowhere'], /--public-base-url must be the absolute http\(s\) URL/],
    [[...base, '--internal-url', 'http://x/path'], /--internal-url must be an http\(s\) origin/],
    [[...base, '--ca', `${file}.missing`], /--ca: cannot read .*ENOENT/],
    [[...base, '--ca', file], /--ca: .* contains no certificate in PEM/],
    [base, /names has 5 bytes.*for this application and the document server\n/, { JWT_SECRET: 'short' }],
    [[...base, '--storage', `${file}.missing`], /--storage: cannot read .*ENOENT/],
    [[...base, '--storage', file], /--storage: .* is not a directory/],
    [[...base, '--listen', `127.0.0.1:${new URL(documentServer.url).port}`], /--listen: cannot listen on port \d+ of 127\.0\.0\.1: it is in use/]
  ]
  for (const [args, message, environment] of wrong) {
    const { code, output, errors } = await doctor(t, args, environment)
    t.equal(code, 2, errors)
    t.equal(output, '')
    t.match(errors, message)
    t.match(errors, /\nTry fastify-onlyoffice --help\n$/)
  }
})

t.test('colors are forced by FORCE_COLOR and absent in a pipe', async t => {
  const args = ['--public-base-url', `http://127.0.0.1:${await freePort()}`]
  t.match((await doctor(t, args, { JWT_SECRET: SECRET, FORCE_COLOR: '1' })).output, '\u001b[32m')
  t.notMatch((await doctor(t, args)).output, '\u001b')
})

t.test('--timeout ends an examination, and Ctrl-C ends the command at once', async t => {
  const silent = await listen(t, net.createServer())
  const args = [
    'doctor',
    '--editor-api-url',
    `${silent.origin}/web-apps/apps/api/documents/api.js`,
    '--public-base-url',
    `http://127.0.0.1:${await freePort()}`
  ]
  const timed = await start(t, [...args, '--timeout', '0.5', '--json']).ended()
  const { findings }: DoctorReport = JSON.parse(timed.output)
  t.match(findings.find(({ code }) => code === 'SERVER'), { status: 'skipped', evidence: /500 ms/ })
  t.equal(timed.code, 1, 'nobody knows whether it is healthy')

  const { child, ended } = start(t, args)
  child.stderr.once('data', () => child.kill('SIGINT')) // it listens, and examines next
  const { code, output, errors } = await ended()
  t.equal(code, 130)
  t.equal(output, '')
  t.match(errors, 'interrupted')
})

t.test('a reader that stops does not end the command early', async t => {
  const { child } = start(t, ['doctor', '--editor-api-url', documentServer.editorApiUrl, '--public-base-url', `http://127.0.0.1:${await freePort()}`])
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
  t.equal((await run(process.execPath, [command, '--version'], { env: plainEnvironment })).stdout, `${version}\n`)
  t.match(
    (await run(process.execPath, [command, '--help'], { env: plainEnvironment })).stdout,
    'Usage: fastify-onlyoffice doctor'
  )
  const { stdout } = await run(process.execPath, [
    command,
    'doctor',
    '--editor-api-url',
    documentServer.editorApiUrl,
    '--public-base-url',
    `http://127.0.0.1:${await freePort()}`
  ], { env: { ...plainEnvironment, JWT_SECRET: SECRET } })
  t.match(stdout, 'Healthy')
})

t.test('the default path is that of the plugin', async t => {
  const { stdout } = await run(process.execPath, [
    '--import',
    './scripts/typescript/register.js',
    'lib/cli/main.ts',
    '--help'
  ], { cwd: root, env: plainEnvironment })
  t.match(stdout, `Default: ${HANDLER}`)
})
