import { gzipSync } from 'node:zlib'
import t from 'tap'
import { bodyFor, errorOf, NEW, startEditing } from '../kit/editing.js'
import { signed } from '../kit/host.js'
import { asDocumentServer } from '../kit/http.js'

const JSON_TYPE = { 'content-type': 'application/json' }

t.test('a malformed callback body is answered with HTTP 200 and error 1', async t => {
  const editing = await startEditing(t)
  const token = signed({ payload: { status: 2, url: editing.url } })
  const bodies = ['{"status":', '', ' ', 'null', '[]', '"x"', '5', 'true', 'status=2', '{"status":2}}', '\u{feff}', new Uint8Array([0x7b, 0xff, 0x7d])]
  for (const body of bodies) {
    for (const headers of [JSON_TYPE, { ...JSON_TYPE, authorization: `Bearer ${token}` }]) {
      // A body that is no object is refused in secure even beside a good header token: both always come together.
      const answer = await editing.postCallback(editing.fileId, body, headers)
      t.equal(answer.status, 200, String(body))
      t.equal(answer.body, '{"error":1}', String(body))
      t.equal(answer.headers.get('content-type'), 'application/json')
    }
  }
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'no callback')
})

t.test('the status of a callback is required and must be an integer', async t => {
  const editing = await startEditing(t)
  for (const status of [undefined, null, 'abc', '2', 2.5, true, [2], { value: 2 }]) {
    t.equal(await editing.post({ status, url: editing.url }), 1, `status ${JSON.stringify(status)}`)
  }
  t.equal(await editing.post({}), 1)
  const huge = `{"status":1e999,"url":${JSON.stringify(editing.url)},"token":"${signed({ status: null, url: editing.url })}"}`
  t.equal(errorOf((await editing.postCallback(editing.fileId, huge)).body), 1, 'status infinite')
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'status')
})

t.test('the url of a callback must be a string', async t => {
  const editing = await startEditing(t)
  for (const url of [5, true, {}, [editing.url], { href: editing.url }]) {
    t.equal(await editing.post({ status: 2, url }), 1, `url ${JSON.stringify(url)}`)
  }
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'url')
})

t.test('other fields of a callback are ignored, whatever their type', async t => {
  const oddities = [5, null, '', [], {}, 'x'.repeat(500), '../../x', true, [[1]]]
  for (const odd of oddities) {
    await t.test(JSON.stringify(odd).slice(0, 20), async t => {
      const editing = await startEditing(t, { fileType: 'docx', policies: { formatChange: 'follow' } })
      const fields = {
        users: odd,
        actions: odd,
        history: odd,
        filetype: odd,
        userdata: odd,
        lastsave: odd,
        notmodified: odd,
        forcesavetype: odd
      }
      t.equal(await editing.post({ ...fields, status: 2, url: editing.url, fileId: 'another', surprise: odd }), 0)
      t.equal(await editing.storedText(editing.fileId), NEW)
      t.equal((await editing.storage.stat(editing.fileId))?.fileType, 'docx')
    })
  }
})

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
for (const [name, headers, prefix] of [
  ['text/plain', { 'content-type': 'text/plain' }, ''],
  ['no content type', {}, ''],
  ['charset', { 'content-type': 'application/json; charset=utf-8' }, ''],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, ''],
  ['multipart without a boundary', { 'content-type': 'multipart/form-data' }, ''],
  ['a byte order mark', JSON_TYPE, BOM],
  ['blanks around', JSON_TYPE, ' \r\n\t']
] as const) {
  t.test(`a body with ${name} is parsed as JSON in UTF-8`, async t => {
    const told: unknown[] = []
    const editing = await startEditing(t, { onCallback: event => { told.push(event.userdata) } })
    const body = JSON.stringify(bodyFor({ key: editing.key, status: 2, url: editing.url, userdata: 'ü€😀' }))
    const bytes = Buffer.concat([Buffer.from(prefix), Buffer.from(body)])
    t.equal((await editing.postCallback(editing.fileId, bytes, headers)).body, '{"error":0}')
    t.strictSame(told, ['ü€😀'])
    t.equal(await editing.storedText(editing.fileId), NEW)
  })
}

t.test('__proto__ and constructor.prototype in a callback pollute no prototype, and the other fields are processed', async t => {
  const told: Array<Record<string, unknown>> = []
  const editing = await startEditing(t, { onCallback: event => { told.push(event) } })
  const fields = `"key":"${editing.key}","status":2,"url":${JSON.stringify(editing.url)},"__proto__":{"polluted":1,"status":1},"constructor":{"prototype":{"polluted":1}}`
  const token = `,"token":"${signed(JSON.parse(`{${fields}}`) as object)}"`
  t.equal((await editing.postCallback(editing.fileId, `{${fields}${token}}`)).body, '{"error":0}')
  t.equal(await editing.storedText(editing.fileId), NEW)
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  t.equal(told[0]?.polluted, undefined)
  t.equal(Object.getPrototypeOf(told[0]), Object.prototype)
  t.notOk(Object.hasOwn(told[0]!, '__proto__'), 'a copy of the event is not delivered either')
})

t.test('a callback that a proxy has compressed is read, up to the limit after decompression', async t => {
  const bodyLimit = 400_000
  const editing = await startEditing(t, { bodyLimit })
  const { fileId, key, url, storedText } = editing
  const fields = asDocumentServer({ key, status: 2, url, filetype: 'txt' }, [editing.documentServer.origin])
  const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
  const authorization = `Bearer ${signed({ payload: fields })}`
  const bodyWith = (more: object) => gzipSync(JSON.stringify({ ...fields, token: signed(fields), ...more }))
  for (const [what, body, given] of [
    ['too large without a token in the header', bodyWith({ history: 'x'.repeat(300_000) }), headers],
    ['not compressed', JSON.stringify(fields), { ...headers, authorization }],
    ['too large', bodyWith({ history: 'x'.repeat(bodyLimit) }), { ...headers, authorization }]
  ] as const) {
    t.equal((await editing.postCallback(fileId, body, given)).body, '{"error":1}', what)
  }
  await editing.unchanged(t, 'refused')
  t.equal((await editing.postCallback(fileId, bodyWith({ history: 'x'.repeat(300_000) }), { ...headers, authorization })).body, '{"error":0}')
  t.equal(await storedText(fileId), NEW.toString())
})
