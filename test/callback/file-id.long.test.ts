import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { parse } from 'node:querystring'
import t from 'tap'
import { bodyFor, NEW, OLD, startEditing } from '../kit/editing.js'
import { HANDLER } from '../kit/host.js'
import { savedAt } from '../kit/http.js'

const OUTSIDE = 'a file outside the directory'

/** Query texts as they stand in the request line. */
const absent: Record<string, readonly string[]> = {
  'an unknown fileId': ['unknown', '00000000-0000-4000-8000-000000000000'],
  'a path as fileId': [
    '../outside', '../outside.docx', '..\\outside', '%2e%2e%2foutside', '%2e%2e%5coutside', '%252e%252e%252foutside', '..%c0%afoutside',
    '/etc/passwd', 'C:\\outside', 'a/../../outside', './ID', 'uploads/ID', 'file:///etc/passwd'
  ],
  'a pattern as fileId': ['*', '?', '%3f', '%5Ba%5D', '%7BID,b%7D', 'ID*', '*.docx', 'I?', '.*'],
  'a fileId with invalid characters': ['%00', 'ID%00', 'ID%00.docx', 'ID%0a', '%01', 'ID%7f', '%ff', 'ID%ff', '%ed%a0%80', '%E2%80%AEID', '%'],
  'a device name, trimmed name or temp file name as fileId': [
    'CON', 'nul', 'COM1', 'LPT9', 'ID.', 'ID%20', 'ID+', 'ID::$DATA', '.', '..', '.fastify-onlyoffice~000000000000~1-1~00000000-0000-4000-8000-000000000000'
  ],
  'a fileId that is too long': ['a'.repeat(256), 'a'.repeat(10_000), '%C3%A9'.repeat(128)],
  'the name with its extension': ['ID.docx']
}

const refused = 1

for (const [name, fileIds] of Object.entries(absent)) {
  t.test(`${name} finds no file: nothing is fetched or stored, answered with error ${refused}`, async t => {
    let genuine = 0
    const editing = await startEditing(t, { onCallback: () => { genuine++ } })
    const outside = join(t.testdirName, 'outside.docx')
    await writeFile(outside, OUTSIDE)
    const before = await editing.listing()

    for (const fileId of fileIds) {
      for (const status of [2, 6]) {
        const text = fileId.replace('ID', editing.fileId)
        const named = decoded(text)
        const key = editing.keyOf(named)
        const signature = new URL(editing.urls.callback(named)).searchParams.get('signature') ?? ''
        const body = await postTo(
          `${editing.origin}${HANDLER}?action=callback&fileId=${text}&signature=${signature}`,
          bodyFor({ key, status, url: savedAt(editing.documentServer.origin, key) })
        )
        t.equal(body, `{"error":${refused}}`, `${fileId.slice(0, 50)} status ${status}`)
      }
    }
    t.equal(genuine, fileIds.length * 2, 'the credentials were accepted')
    t.strictSame(editing.documentServer.requests, [], 'no outbound request')
    t.equal(await readFile(outside, 'utf8'), OUTSIDE)
    t.equal(await editing.storedText(editing.fileId), OLD)
    t.strictSame(await editing.listing(), before)

    await postTo(editing.urls.callback(editing.fileId), bodyFor({ key: editing.key, status: 2, url: editing.url }))
    t.equal(await editing.storedText(editing.fileId), NEW, 'the file itself can be saved')
  })
}

t.test('policies.missingFile overrides the profile', async t => {
  const editing = await startEditing(t, { policies: { missingFile: 'acknowledge' } })
  t.equal(await editing.post({ status: 2, url: editing.url }, 'unknown'), 0)
  t.strictSame(editing.documentServer.requests, [])
})

t.test('a directory whose name matches the fileId is not a file', async t => {
  const editing = await startEditing(t)
  await mkdir(join(t.testdirName, 'uploads', 'directory.docx'))
  t.equal(await editing.post({ status: 2, url: editing.url }, 'directory'), refused)
  t.strictSame(editing.documentServer.requests, [])
  t.strictSame(await readdir(join(t.testdirName, 'uploads', 'directory.docx')), [])
})

t.test('a callback without a fileId, with an empty one, or with more than one is refused', async t => {
  const editing = await startEditing(t, { server: { querystringParser: query => parse(query) } })
  const body = bodyFor({ key: editing.key, status: 2, url: editing.url })
  for (const query of ['', '&fileId=', '&fileId', `&fileId=${editing.fileId}&fileId=${editing.fileId}`, `&fileId=${editing.fileId}&fileId=`]) {
    t.equal(await postTo(`${editing.origin}${HANDLER}?action=callback${query}`, body), '{"error":1}', query)
  }
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'no fileId')
})

t.test('a fileId that the application\'s query parser turns into an array or object is refused', async t => {
  for (const fileId of [['a'], { a: 1 }, { length: 1, 0: 'a' }, null, 5, true, Object.create(null)]) {
    await t.test(JSON.stringify(fileId), async t => {
      const editing = await startEditing(t, { server: { querystringParser: () => ({ action: 'callback', fileId }) } })
      const body = bodyFor({ key: editing.key, status: 2, url: editing.url })
      t.equal(await postTo(`${editing.origin}${HANDLER}?action=callback`, body), '{"error":1}')
      t.strictSame(editing.documentServer.requests, [])
    })
  }
})

t.test('the fileId in a callback URL is URL-decoded', async t => {
  const editing = await startEditing(t)
  for (const fileId of ['a b', 'a&b', 'a#b', 'a+b', 'a%b', 'é', '😀', '[a]', '{a,b}', 'a=b', "a'b"]) {
    const path = join(t.testdirName, 'uploads', `${fileId}.txt`)
    await writeFile(path, OLD)
    t.equal(await editing.post({ key: await editing.openedKey(fileId), status: 2, url: editing.url }, fileId), 0, fileId)
    t.equal(await readFile(path, 'utf8'), NEW, fileId)
  }
  t.equal(await editing.storedText(editing.fileId), OLD, 'no other file')
})

t.test('a repeated action parameter is refused as unknown', async t => {
  const editing = await startEditing(t)
  const body = await postTo(
    `${editing.origin}${HANDLER}?action=callback&action=callback&fileId=${editing.fileId}`,
    bodyFor({ key: editing.key, status: 2, url: editing.url })
  )
  t.match(JSON.parse(body), { statusCode: 400, code: 'FST_EDITOR_UNKNOWN_ACTION', message: /^Unknown action/ })
  await editing.unchanged(t, 'repeated action')
})

/** As Fastify reads it: what can't be decoded is taken as it stands. */
function decoded (text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Posts with the query as it stands: fetch would normalise it. */
function postTo (address: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port, origin } = new URL(address)
    http.request({ hostname, port, path: address.slice(origin.length), method: 'POST', headers: { 'content-type': 'application/json' } }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks).toString()))
    }).on('error', reject).end(JSON.stringify(body))
  })
}
