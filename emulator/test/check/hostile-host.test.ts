import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { freePort, listen } from '../../../test/kit/http.js'
import { check } from '../../lib/check/check.js'
import type { CheckOptions, NotCheckable, Outcome } from '../../lib/check/types.js'
import { SECRET } from '../support.js'
import { startNaiveHost } from './naive-host.js'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const started = async (t: Test, answer: Answer) => (await listen(t, http.createServer(answer))).origin

async function options (origin: string, headers: Record<string, string> = {}): Promise<CheckOptions> {
  const server = { port: await freePort(), host: '127.0.0.1' }
  return { configUrl: `${origin}/config/1`, contentUrl: `${origin}/content/1`, headers, secrets: [SECRET], server, only: ['config-opens'] }
}

const refusal = async (promise: Promise<unknown>): Promise<string> => await promise.then(() => 'checked', (error: NotCheckable) => error.message)

t.test('a body without an end is read up to a limit', async t => {
  let onClose = () => {}
  const closed = new Promise<void>(resolve => { onClose = resolve })
  const origin = await started(t, (_, response) => {
    response.on('close', onClose)
    const more = () => { while (!response.destroyed && response.write(Buffer.alloc(65_536, ' '))); }
    response.on('drain', more)
    more()
  })
  t.equal(await refusal(check(await options(origin))), `expected an answer from ${origin}/config/1; seen: more than 10 MB`)
  await closed
})

t.test('headers of the user do not follow a redirect to another origin, nor back', async t => {
  const seen: Array<[string | undefined, string | undefined, string | undefined]> = []
  const note: Answer = ({ url, headers }) => { seen.push([url, headers['x-api-key'] as string | undefined, headers.cookie]) }
  const other = await started(t, (request, response) => {
    note(request, response)
    response.writeHead(307, { location: `${origin}/back` }).end()
  })
  const origin = await started(t, (request, response) => {
    note(request, response)
    if (request.url === '/back') return response.writeHead(404).end()
    response.writeHead(302, { location: request.url === '/config/1' ? '/config/2' : `${other}/elsewhere` }).end()
  })
  const found = await refusal(check(await options(origin, { 'X-Api-Key': 'key', Cookie: 'a=b' })))
  t.equal(found, 'expected HTTP 200 from the configuration URL; seen: HTTP 404')
  t.same(seen, [['/config/1', 'key', 'a=b'], ['/config/2', 'key', 'a=b'], ['/elsewhere', undefined, undefined], ['/back', undefined, undefined]])
})

t.test('redirects without an end, or to what is no web page, are an answer', async t => {
  for (const location of ['/again', 'file:///etc/hostname', 'http://', 'data:,%7B%7D']) {
    const origin = await started(t, (_, response) => { response.writeHead(302, { location }).end() })
    t.equal(await refusal(check(await options(origin))), 'expected HTTP 200 from the configuration URL; seen: HTTP 302', location)
  }
})

t.test('no words of the host put control characters into the terminal', async t => {
  const fileType = 'a\u001B[31m\u009B2J\u202E\nFAILED'
  const origin = await started(t, ({ url }, response) => {
    response.end(url === '/content/1' ? 'text' : JSON.stringify({ document: { fileType, url: `${origin}/content/1` } }))
  })
  t.match(await refusal(check(await options(origin))), /^a document of the format a \[31m 2J FAILED with 4 bytes/)
})

t.test('a check that would take hours ends', async t => {
  const { now } = performance
  const { server, ...others } = await options('')
  const origin = await startNaiveHost(t, { secret: SECRET, documentServer: `http://127.0.0.1:${server.port}` })
  let later = 0
  t.intercept(performance, 'now', { value: () => now.call(performance) + later })
  const outcomes: Outcome[] = []
  await check({ ...others, server, configUrl: `${origin}/config/1`, contentUrl: `${origin}/content/1`, only: ['config-opens', 'key-shared'] }, {
    onOutcome (outcome) {
      outcomes.push(outcome)
      later += 10 * 60_000
    }
  })
  t.match(outcomes, [{ result: 'passed' }, { result: 'failed', expected: 'an end of the check within 10 minutes' }])
})
