import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import t from 'tap'
import { NEW, startEditing } from '../../kit/editing.js'
import { startHost } from '../../kit/host.js'
import { SECRET } from '../../kit/document-server.js'
import { startUpstream } from '../../kit/http.js'
import { plainEnvironment } from '../../kit/programs.js'
import type { Cost } from './parsing-cost.js'

/** A row of a CSV file of which more and more arrives is looked at 16 times, in three readings. */
const MAX_STEPS_PER_BYTE = 200
/** Bytes after which others must have got a turn, of content that takes long. */
const TURN = 2 * 1024 ** 2
/** Ends the test where an expression is not linear: it would take hours. */
t.setTimeout(300_000)

t.test('whatever is parsed costs the same for each byte, and others get their turn', async t => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import', './scripts/typescript/register.js', 'test/campaigns/attacks/parsing-cost.ts'
  ], { env: plainEnvironment })
  const costs: Cost[] = JSON.parse(stdout)
  t.ok(costs.length > 20)
  for (const { title, bytes, steps, copied, turns, outcome } of costs) {
    t.ok(steps <= MAX_STEPS_PER_BYTE * bytes, title, { bytes, steps })
    t.ok(copied <= bytes, `${title}: copied`, { bytes, copied })
    if (/^a package of .* parts?|^CSV/.test(title)) t.ok(turns >= Math.floor(bytes / TURN) && outcome !== '', `${title}: turns`, { bytes, turns })
  }
})

const PARTS = ['instance sightings', '<!--', '<script>', '"', '//', 'eyJaaaaaaaa.', '{"a":', '1.']

/** Bytes of an answer. */
const SIZE = 2 * 1024 ** 2

t.test('the doctor takes large answers, and the application answers others meanwhile', async t => {
  let part = ''
  let others = 0
  const { origin } = await startUpstream(t, async (request, response) => {
    request.resume()
    others += Number((await fetch(`${host.origin}/other`)).ok)
    response.end(request.url === '/healthcheck' ? 'true' : part.repeat(SIZE / part.length))
  })
  const host = await startHost(t, { documentServerOrigin: origin, publicBaseUrl: origin, prepare: app => app.get('/other', () => 'here') })
  for (part of PARTS) {
    others = 0
    const { findings } = await host.app.editorDoctor()
    const codes = findings.filter(({ status }) => status === 'error').map(({ code }) => code)
    t.ok(codes.includes('API_MISSING') && codes.some(code => code.startsWith('PUBLIC_URL')) && others > 0, part, { codes, others })
  }
})

t.test('a token with deeply nested claims is one like any other', async t => {
  const editing = await startEditing(t)
  const now = Math.floor(Date.now() / 1000)
  const nested = '['.repeat(50_000) + ']'.repeat(50_000)
  const claims = JSON.stringify({
    key: editing.key,
    status: 2,
    url: editing.url,
    filetype: 'txt',
    iat: now,
    exp: now + 60,
    history: { changes: ['nested'], serverVersion: '9.0' }
  }).replace('"nested"', nested)
  const signed = [JSON.stringify({ alg: 'HS256', typ: 'JWT' }), claims].map(part =>
    Buffer.from(part).toString('base64url')
  ).join('.')
  const token = `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`
  const { status, body } = await editing.postCallback(editing.fileId, { token })
  t.strictSame([status, body], [200, '{"error":0}'])
  t.equal(await editing.storedText(editing.fileId), NEW)
})
