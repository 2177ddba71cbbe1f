import t from 'tap'
import { memoryStorage, type EditorStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

const CONTENT = '0123456789abcdefghij'

t.test('a single range is answered 206 with exactly these bytes', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from(CONTENT))
  const table: Array<[range: string, start: number, end: number]> = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-4', 0, 4],
    ['bytes=5-9', 5, 9],
    ['bytes=-3', 17, 19],
    ['bytes=-19', 1, 19],
    ['bytes=-20', 0, 19],
    ['bytes=-1000', 0, 19],
    ['bytes=15-', 15, 19],
    ['bytes=15-1000', 15, 19]
  ]
  for (const [range, start, end] of table) {
    const response = await host.downloadAsDocumentServer(fileId, { range })
    t.equal(response.status, 206, range)
    t.equal(response.headers.get('content-range'), `bytes ${start}-${end}/20`, range)
    t.equal(response.headers.get('content-length'), String(end - start + 1), range)
    t.equal(response.headers.get('x-content-type-options'), 'nosniff')
    t.equal(await response.text(), CONTENT.slice(start, end + 1), range)
  }
})

t.test('a range beyond the end is answered 416 with the file size', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from(CONTENT))
  const response = await host.downloadAsDocumentServer(fileId, { range: 'bytes=20-' })
  t.equal(response.status, 416)
  t.equal(response.headers.get('content-range'), 'bytes */20')
  t.equal(response.headers.get('content-disposition'), null)
  t.equal(await response.text(), '')
})

t.test('several ranges, another unit and a malformed range get the whole file', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from(CONTENT))
  for (const range of ['bytes=0-1,4-5', 'lines=0-1', 'bytes', 'bytes=', 'nonsense', 'bytes=0-1,x', 'bytes=30-,x']) {
    const response = await host.downloadAsDocumentServer(fileId, { range })
    t.equal(response.status, 200, range)
    t.equal(response.headers.get('accept-ranges'), 'bytes')
    t.equal(await response.text(), CONTENT, range)
  }
})

t.test('If-Range: a matching version gets the range, any other the whole file', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from(CONTENT))
  const { headers } = await host.downloadAsDocumentServer(fileId)
  const etag = headers.get('etag')!
  const lastModified = headers.get('last-modified')!
  for (const [condition, status] of [[etag, 206], [lastModified, 206], ['"other"', 200], [`W/${etag}`, 200], ['Thu, 01 Jan 1970 00:00:00 GMT', 200]] as const) {
    const response = await host.downloadAsDocumentServer(fileId, { range: 'bytes=0-1', 'if-range': condition })
    t.equal(response.status, status, condition)
    t.equal(await response.text(), status === 206 ? '01' : CONTENT)
  }
})

t.test('a file replaced between look-up and read is sent whole in its new version', async t => {
  for (const replacement of ['short', 'a new version that is longer than the old one']) {
    const memory = memoryStorage()
    const { fileId } = await memory.create('docx', Buffer.from(CONTENT))
    const storage: EditorStorage = {
      ...memory,
      async stat (id) {
        const info = await memory.stat(id)
        await memory.replace(id, Buffer.from(replacement))
        return info
      }
    }
    const host = await startHost(t, { storage })
    const response = await host.downloadAsDocumentServer(fileId, { range: 'bytes=10-14' })
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-range'), null)
    t.equal(response.headers.get('content-length'), String(replacement.length))
    t.equal(await response.text(), replacement)
  }
})
