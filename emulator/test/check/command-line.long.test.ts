import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { freePort } from '../../../test/kit/http.js'
import { plainEnvironment, root } from '../../../test/kit/programs.js'
import { SECRET } from '../support.js'
import { type Mistake, startNaiveHost } from './naive-host.js'

t.setTimeout(600_000)

async function run (parameters: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', './scripts/typescript/register.js', 'emulator/lib/cli/main.ts', 'check', ...parameters], {
    cwd: root,
    env: { ...plainEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, code }
}

/** The parameters for a host and some scenarios. */
async function started (t: Test, mistake?: Mistake): Promise<readonly string[]> {
  const port = await freePort()
  const origin = await startNaiveHost(t, { secret: SECRET, documentServer: `http://127.0.0.1:${port}`, ...(mistake && { mistake }) })
  const only = ['config-opens', 'download-of-another-url', 'token-missing', 'result-empty'].flatMap(id => ['--only', id])
  return ['--config-url', `${origin}/config/{n}`, '--content-url', `${origin}/content/{n}`, '--port', String(port), ...only]
}

t.test('the text ends with a summary; the secret may be in a file', async t => {
  const file = join(t.testdir(), '.env')
  await writeFile(file, `JWT_SECRET=${SECRET}\n`)
  const { output, errors, code } = await run([...await started(t), '--env-file', file])
  t.match(output, /^Document server: http:\/\/127\.0\.0\.1:\d+\npassed {3}config-opens: .*\npassed {3}download-of-another-url: .*\npassed {3}token-missing: .*\nskipped {2}result-empty: .* \(a text may be empty; .*\)\n4 scenarios: 3 passed, 0 failed, 0 warnings, 1 skipped\n$/)
  t.same([errors, code], ['', 0])
})

t.test('a broken rule gives exit code 1, with what was expected and seen, the remedy and the source', async t => {
  const { output, code } = await run(await started(t, 'accepts callbacks without a token'), { JWT_SECRET: SECRET })
  t.match(output, /^FAILED {3}token-missing: .*\n {9}expected: stored: the content from before\n {9}seen: stored: the forged content\n {9}remedy: Verify .*\n {9}source: https:.*#tokens-the-document-server-sends \(.*\)$/m)
  t.equal(code, 1)
})

t.test('a warning leaves the exit code 0, and is skipped in JUnit', async t => {
  const { output, code } = await run([...await started(t, 'serves any signed URL'), '--format', 'junit'], { JWT_SECRET: SECRET })
  t.match(output, /^<\?xml .*\n<testsuite name="onlyoffice-emulator check" tests="4" failures="0" errors="0" skipped="2">\n/)
  t.match(output, /<testcase classname="onlyoffice-emulator\.check" name="download-of-another-url: .*"><skipped message="warning: expected: HTTP 401, 403 or 404; seen: HTTP 200; remedy: .*"\/><\/testcase>\n/)
  t.equal(code, 0)
})

t.test('JSON has all outcomes', async t => {
  const { output, code } = await run([...await started(t, 'accepts callbacks without a token'), '--format', 'json'], { JWT_SECRET: SECRET })
  const { passed, scenarios } = JSON.parse(output)
  t.same([passed, code], [false, 1])
  t.match(scenarios, [
    { id: 'config-opens', severity: 'must', result: 'passed', statement: /^the token must contain/ },
    { id: 'download-of-another-url', severity: 'should', result: 'passed' },
    { id: 'token-missing', result: 'failed', expected: 'stored: the content from before', seen: 'stored: the forged content', remedy: /^Verify/ },
    { id: 'result-empty', result: 'skipped', reason: /^a text may be empty/ }
  ])
  t.notMatch(output, SECRET)
})

t.test('a service that can not be reached, an unknown scenario and a port in use give exit code 2', async t => {
  const urls = ['--config-url', 'http://127.0.0.1:9/config', '--content-url', 'http://127.0.0.1:9/content', '--port', String(await freePort())]
  const unreachable = await run(urls, { JWT_SECRET: SECRET })
  t.same([unreachable.output, unreachable.code], ['', 2])
  t.match(unreachable.errors, 'expected an answer from http://127.0.0.1:9/config; seen: no answer')
  const unknown = await run([...urls, '--only', 'no-such-scenario'], { JWT_SECRET: SECRET })
  t.equal(unknown.code, 2)
  t.match(unknown.errors, '--only: there is no scenario no-such-scenario')
  const { port } = new URL(await startNaiveHost(t, { secret: SECRET, documentServer: 'http://127.0.0.1' }))
  const inUse = await run([...urls, '--port', port], { JWT_SECRET: SECRET })
  t.equal(inUse.code, 2)
  t.match(inUse.errors, `port ${port} on 127.0.0.1 is in use`)
})
