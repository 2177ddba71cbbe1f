import t, { type Test } from 'tap'
import { freePort } from '../../../test/kit/http.js'
import { check } from '../../lib/check/check.js'
import { scenarios } from '../../lib/check/all-scenarios.js'
import { type CheckOptions, Failure, NotCheckable, type Outcome } from '../../lib/check/types.js'
import { fixture, SECRET } from '../support.js'
import { type Mistake, MISTAKES, startNaiveHost } from './naive-host.js'

t.jobs = 3
t.setTimeout(900_000)
const parallel = { buffered: true, timeout: 600_000 }

async function checked (
  t: Test,
  host: { readonly mistake?: Mistake | 'never answers', readonly content?: Buffer, readonly fileType?: string } = {},
  { document = '{n}', ...options }: Partial<CheckOptions> & { readonly document?: string } = {}
): Promise<readonly Outcome[]> {
  const port = options.server?.port ?? await freePort()
  const origin = await startNaiveHost(t, { secret: SECRET, documentServer: `http://127.0.0.1:${port}`, ...host })
  return await check({
    configUrl: `${origin}/config/${document}`,
    contentUrl: `${origin}/content/${document}`,
    headers: {},
    secrets: [SECRET],
    server: { port, host: '127.0.0.1' },
    only: [],
    ...options
  })
}

const not = (outcomes: readonly Outcome[], wanted: Outcome['result']) => outcomes.filter(({ result }) => result !== wanted).map(({ id, expected, seen, reason }) => ({ id, expected, seen, reason }))
const failed = (outcomes: readonly Outcome[]) => outcomes.filter(({ result }) => result === 'failed').map(({ id }) => id)

t.test('a host without a mistake passes', parallel, async t => {
  const outcomes = await checked(t)
  t.same(not(outcomes, 'passed').map(({ id }) => id), ['result-empty', 'result-page'])
  t.equal(outcomes.length, scenarios.length)
})

t.test('a host with one document for all scenarios passes', parallel, async t => {
  const outcomes = await checked(t, {}, { document: 'one' })
  t.same(not(outcomes, 'passed').map(({ id }) => id), ['key-of-one-document', 'result-empty', 'result-page'])
})

t.test('a host passes with a document server 10.0, too', parallel, async t => {
  const port = await freePort()
  const outcomes = await checked(t, {}, {
    document: 'one',
    server: { port, host: '127.0.0.1', version: '10.0', purposeCheck: 'strict' },
    only: ['save', 'forgotten', 'save-new-key']
  })
  t.same(not(outcomes, 'passed'), [])
})

t.test('a host with office documents passes', parallel, async t => {
  const outcomes = await checked(t, { content: fixture('report.docx'), fileType: 'docx' })
  t.same(not(outcomes, 'passed').map(({ id }) => id), ['result-large'])
})

for (const [mistake, id] of Object.entries(MISTAKES)) {
  t.test(`a host that ${mistake} is found by ${id}`, parallel, async t => {
    t.same(failed(await checked(t, { mistake: mistake as Mistake }, { only: [id] })), [id])
  })
}

t.test('a host that never answers callbacks ends the check in time', parallel, async t => {
  const outcomes = await checked(t, { mistake: 'never answers' }, { only: ['save', 'save-new-key'] })
  t.match(outcomes, [{ result: 'failed', seen: 'the host has not answered' }, { result: 'skipped', reason: 'the scenario save has failed' }])
})

t.test('what a host says is printed without tokens, queries and control characters', t => {
  t.equal(new Failure('', 'a\u001B[31m\nb eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c-_d http://host/path?token=1').seen, 'a [31m b <token> http://host/path')
  t.end()
})

t.test('a host that can not be examined is reported at once', async t => {
  const port = await freePort()
  const urls = { configUrl: `http://127.0.0.1:${port}/config`, contentUrl: `http://127.0.0.1:${port}/content` }
  await t.rejects(checked(t, {}, urls), new NotCheckable(`expected an answer from ${urls.configUrl}; seen: no answer (ECONNREFUSED)`))
  await t.rejects(checked(t, { content: Buffer.alloc(0), fileType: 'docx' }), new NotCheckable('a document of the format docx with 0 bytes can\'t be altered: use a .txt, or a .docx, .xlsx or .pptx that is not empty'))
})
