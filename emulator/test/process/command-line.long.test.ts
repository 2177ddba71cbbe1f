import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { listen } from '../../../test/kit/http.js'
import { plainEnvironment, root } from '../../../test/kit/programs.js'
import { commandOf } from '../../lib/cli/options.js'
import { run } from '../../lib/cli/run.js'
import { UsageError } from '../../lib/cli/server-options.js'
import { SECRET, startFakeHost } from '../support.js'

function start (t: Test, parameters: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [
    '--import',
    './scripts/typescript/register.js',
    'emulator/lib/cli/main.ts',
    ...parameters
  ], { cwd: root, env: { ...plainEnvironment, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => {
    child.kill('SIGKILL')
  })
  return { child, ended: once(child, 'close').then(([code, signal]) => ({ code, signal })), errors: text(child.stderr) }
}

/** Its facts, line by line, once it listens. */
async function startListening (t: Test, parameters: readonly string[], environment: Record<string, string> = {}) {
  const started = start(t, ['--port', '0', '--libre-office', 'no', ...parameters], environment)
  const facts: Record<string, string> = {}
  const wanted = 'JWT_SECRET' in environment ? 'Status page' : 'JWT secret'
  for await (const line of createInterface(started.child.stdout)) {
    const [name, value] = line.split(/: (.*)/) as [string, string]
    facts[name] = value
    if (name === wanted) break
  }
  return { ...started, facts }
}

t.jobs = 5

async function post (url: string, fields: object = {}): Promise<any> {
  return await (await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields)
  })).json()
}

t.test('it prints where it listens, and saves open documents on a termination signal, even a repeated one', {
  buffered: true
}, async t => {
  const host = await startFakeHost(t)
  const { child, ended, facts, errors } = await startListening(t, ['--authorization-header', 'X-Token'], {
    JWT_SECRET: SECRET
  })
  const address = facts.Listening!
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.same(facts, {
    Listening: address,
    'api.js': `${address}/web-apps/apps/api/documents/api.js`,
    'Status page': `${address}/`
  })
  t.equal((await fetch(facts['api.js']!)).status, 200)
  t.match(await (await fetch(facts['Status page']!)).text(), facts['api.js'])

  const { id } = await post(`${address}/emulator/sessions`, { config: host.config('K', { name: 'notes.txt' }) })
  await post(`${address}/emulator/sessions/${id}/edit`, { text: 'changed' })
  t.ok(host.received[0]!.headers['x-token'])
  let saved = ''
  host.beforeAnswer = async ({ url }) => {
    child.kill('SIGINT')
    child.kill('SIGTERM')
    saved = await (await fetch(String(url))).text()
  }
  child.kill('SIGTERM')
  t.same(await ended, { code: 0, signal: null })
  t.same(host.statuses(), [1, 2])
  t.equal(saved, 'changed')
  t.equal(await errors, '')
})

t.test('without a secret it generates and prints one; with the fake clock option its clock can be moved', {
  buffered: true
}, async t => {
  const { child, ended, facts } = await startListening(t, ['--fake-clock', '--public-url', 'https://docs.example.com/'])
  t.match(facts, {
    'Public URL': 'https://docs.example.com',
    'api.js': 'https://docs.example.com/web-apps/apps/api/documents/api.js',
    'JWT secret': /^[0-9a-f]{64}$/
  })
  const before = Date.now()
  const { now } = await post(`${facts.Listening}/emulator/clock`, { advance: 3_600_000 })
  t.ok(now >= before + 3_500_000, 'an hour later')
  child.kill('SIGINT')
  t.same(await ended, { code: 0, signal: null })
})

t.test('it exits within seconds even if the application does not answer', { buffered: true }, async t => {
  const host = await startFakeHost(t)
  const { child, ended, facts, errors } = await startListening(t, [], { JWT_SECRET: SECRET })
  const { id } = await post(`${facts.Listening}/emulator/sessions`, { config: host.config('K') })
  await post(`${facts.Listening}/emulator/sessions/${id}/edit`, { text: 'changed' })
  host.routes.set('/cb', () => {})
  child.kill('SIGTERM')
  t.same(await ended, { code: 1, signal: null })
  t.match(await errors, 'your service did not answer in time')
})

t.test('invalid options exit with code 2 and print the reason', { buffered: true }, async t => {
  const { ended, errors } = start(t, ['--prot', '1'])
  t.same(await ended, { code: 2, signal: null })
  t.equal(await errors, 'onlyoffice-emulator: Unknown option \'--prot\'\nTry onlyoffice-emulator --help\n')
})

t.test('if it cannot listen it prints the reason', async t => {
  const { port } = await listen(t, net.createServer())
  const cases: Array<[parameters: string[], message: string]> = [
    [
      ['--port', String(port)],
      `port ${port} on 127.0.0.1 is in use: choose another with --port, or --port 0 for any free port`
    ],
    [['--port', '0', '--host', '192.0.2.1'], '--host 192.0.2.1 is not an IP address or name of this machine'],
    [['--port', '0', '--allowed-host', 'http://docs'], '--allowed-host: "http://docs" is not a host name']
  ]
  for (const [parameters, message] of cases) {
    const command = commandOf([...parameters, '--libre-office', 'no'], { JWT_SECRET: SECRET })
    if (command.type === 'run') await t.rejects(run(command), new UsageError(message))
  }
})

t.test('options are mapped to those of createDocumentServer()', t => {
  t.same(commandOf([], {}), {
    type: 'run',
    secrets: [],
    fakeClock: false,
    logLevel: 'warn',
    server: { port: 8080, host: '127.0.0.1' }
  })
  t.match(commandOf([], { JWT_SECRET: 'of the environment' }), { secrets: ['of the environment'] })
  t.same(
    commandOf(
      ('--port 0 --host 0.0.0.0 --jwt-secret new --jwt-secret old --public-url http://docs:80/x ' +
      '--allowed-host a --allowed-host b --authorization-header X-Token --libre-office no --log-level info --fake-clock').split(' '),
      { JWT_SECRET: 'of the environment' }
    ),
    {
      type: 'run',
      secrets: ['new', 'old'],
      fakeClock: true,
      logLevel: 'info',
      server: {
        port: 0,
        host: '0.0.0.0',
        publicUrl: 'http://docs:80/x',
        allowedHosts: ['a', 'b'],
        authorizationHeader: 'X-Token',
        libreOffice: false
      }
    }
  )
  t.match(commandOf(['--libre-office', '/opt/soffice'], {}), { server: { libreOffice: '/opt/soffice' } })
  t.match([commandOf(['--help'], {}), commandOf(['--version'], {})], [{ type: 'help' }, { type: 'version' }])
  t.end()
})

t.test('--help and --version', { buffered: true }, async t => {
  const help = start(t, ['--help'])
  const version = start(t, ['--version'])
  const [helpText, versionText] = await Promise.all([text(help.child.stdout), text(version.child.stdout)])
  t.match(helpText, /^Usage: onlyoffice-emulator \[options\]\n[^]*--jwt-secret SECRET/)
  t.match(versionText, /^\d+\.\d+\.\d+\n$/)
  t.match(await Promise.all([help.ended, version.ended]), [{ code: 0 }, { code: 0 }])
})
