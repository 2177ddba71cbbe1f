import { readFileSync } from 'node:fs'
import t from 'tap'
import { createVerifier } from 'fast-jwt'
import type { Session } from '../../lib/testing/index.js'
import { fixture, postSigned, type Received, SECRET, startDocumentServer, startFakeHost } from './support.js'

interface Step {
  readonly do: 'open' | 'edit' | 'forceSave' | 'close' | 'command' | 'request'
  readonly [field: string]: unknown
}

interface Scenario {
  readonly name: string
  readonly description: string
  readonly steps: readonly Step[]
}

const scenarios = JSON.parse(readFileSync(new URL('../fixtures/recorded-exchanges.json', import.meta.url), 'utf8')) as Scenario[]
const RECEIVER = 'http://127.0.0.1:18090'
const claimsOf = createVerifier({ key: SECRET })

for (const { name, description, steps } of scenarios) {
  t.test(`as recorded: ${name}. ${description}`, async t => {
    const host = await startFakeHost(t)
    const server = await startDocumentServer(t)
    const sessions = new Map<unknown, Session>()
    const answers = steps.filter(step => step.do === 'request' && 'answer' in step)
    const running: Array<Promise<unknown>> = []

    for (const step of steps) {
      const session = () => sessions.get(step.user)!
      switch (step.do) {
        case 'open': {
          host.files.set(new URL(String(step.document), host.origin).pathname, fixture('report.docx'))
          setAnswers()
          sessions.set(step.user, await server.open(host.config(String(step.key), {
            user: { id: String(step.user), name: String(step.name) },
            mode: String(step.mode),
            callback: String(step.callback),
            document: String(step.document)
          })))
          break
        }
        case 'edit': await session().edit(String(step.text)); break
        case 'forceSave': running.push(session().forceSave()); break
        case 'close':
          setAnswers()
          await session().close()
          break
        case 'command': {
          const response = await postSigned(`${server.url}/command`, JSON.parse(JSON.stringify(step.claims).replace(RECEIVER, host.origin)))
          t.equal(response.headers.get('content-type'), 'application/json')
          t.equal(normal(await response.json()), normal(step.answer), 'answer of the command')
          break
        }
        case 'request':
          if (step === answers[0]) answers.shift()
          t.equal(normal(seen(await host.next())), normal(recorded(step)), `${String(step.method)} ${String(step.path)}`)
      }
    }
    await Promise.all(running)
    t.equal(host.received.length, steps.filter(step => step.do === 'request').length, 'nothing else was sent')

    /** The host answers the next callback of each status as it did when it was recorded. */
    function setAnswers (): void {
      for (const step of answers.toReversed()) {
        host.answers[Number((step.body as { status: number }).status)] = { body: JSON.stringify(step.answer) }
      }
    }
  })
}

function seen ({ method, path, headers, body }: Received): object {
  const { connection, authorization = '', ...others } = headers
  return {
    method,
    path,
    headers: Object.keys(headers).sort(),
    values: { ...others, connection: connection?.toLowerCase() },
    headerClaims: claimsOf(authorization.slice('Bearer '.length)),
    ...(body === null ? {} : { body: { ...body, token: '<token>' }, bodyClaims: claimsOf(String(body.token)) })
  }
}

function recorded ({ method, path, headers, headerClaims, body, bodyClaims }: Step): object {
  const values = {
    ...((headers as string[]).includes('content-type') ? { 'content-type': 'application/json' } : {}),
    accept: 'application/json, text/plain, */*',
    'accept-encoding': 'gzip, compress, deflate, br',
    'user-agent': 'Node.js/6.13',
    connection: 'keep-alive'
  }
  return { method, path, headers, values, headerClaims, ...(body === undefined ? {} : { body, bodyClaims }) }
}

/** Text that differs where two exchanges may not: ids, times, ports and signatures are replaced. Field order counts. */
function normal (value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) => {
    if (name === 'iat') return '<iat>'
    if (name === 'values') {
      const { host, 'content-length': length, ...rest } = field as Record<string, unknown>
      return Object.fromEntries(Object.entries(rest).filter(([header]) => header !== 'authorization').sort())
    }
    if (typeof field === 'object' && field !== null && 'iat' in field && 'exp' in field) {
      const { iat, exp, ...claims } = field as Record<string, number>
      return { ...claims, lifetime: exp! - iat! }
    }
    return field
  }, 1)
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<origin>')
    .replaceAll(/md5=[\w-]{22}&expires=\d{10}/g, 'md5=<md5>&expires=<time>')
    .replaceAll(/_\d{4}\//g, '_<n>/')
    .replaceAll(/"[0-9a-f]{64}"/g, '<sha256>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replaceAll(/"serverVersion": "[\d.]+"/g, '<version>')
}
