import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'

t.test('a download returns exactly the stored bytes, or 404', async t => {
  const bytes = randomBytes(300_000)
  const directory = t.testdir({ 'a.docx': bytes, 'empty.txt': '' })
  const host = await startHost(t, { storage: fileStorage({ directory }) })

  const stored = await host.downloadAsDocumentServer('a')
  t.equal(stored.status, 200)
  t.equal(stored.headers.get('content-length'), '300000')
  t.ok(Buffer.from(await stored.arrayBuffer()).equals(bytes))

  const empty = await host.downloadAsDocumentServer('empty')
  t.equal(empty.status, 200)
  t.equal(empty.headers.get('content-length'), '0')
  t.equal(await empty.text(), '')

  for (const fileId of ['unknown', 'a.docx', '']) {
    t.equal((await host.downloadAsDocumentServer(fileId)).status, 404, `fileId "${fileId}"`)
  }
  t.equal((await fetch(`${host.origin}${HANDLER}?action=download`)).status, 404, 'no fileId')
})

t.test('the 404 of a download has the body of Fastify\'s own errors and does not mention files', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { profile: 'classic', storage: fileStorage({ directory }) })
  const response = await fetch(host.handler({ action: 'download', fileId: 'nothing' }))
  t.equal(response.status, 404)
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  t.strictSame(await response.json(), { statusCode: 404, code: 'FST_EDITOR_FILE_NOT_FOUND', error: 'Not Found', message: 'No stored file has this fileId' })
})

t.test('a file copied into the directory is found by its name without the extension', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { profile: 'classic', storage: fileStorage({ directory }) })
  await writeFile(`${directory}/Annual report.xlsx`, 'from another program')
  const response = await fetch(host.handler({ action: 'download', fileId: 'Annual report' }))
  t.equal(await response.text(), 'from another program')
})
