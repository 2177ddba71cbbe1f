import t from 'tap'
import { memoryStorage, type EditorStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

t.test('HEAD is answered from the file\'s metadata without reading the file', async t => {
  const reads: string[] = []
  const memory = memoryStorage()
  const storage: EditorStorage = { ...memory, read: (id, range) => { reads.push(id); return memory.read(id, range) } }
  const host = await startHost(t, { profile: 'classic', storage })
  const { fileId } = await storage.create('docx', Buffer.from('twelve bytes'))
  const url = host.handler({ action: 'download', fileId })

  const get = await fetch(url)
  t.equal(await get.text(), 'twelve bytes')
  const head = await fetch(url, { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(await head.text(), '')
  for (const name of [
    'content-length', 'content-type', 'content-disposition', 'etag', 'last-modified', 'accept-ranges',
    'x-content-type-options', 'content-security-policy'
  ]) {
    t.ok(get.headers.has(name), name)
    t.equal(head.headers.get(name), get.headers.get(name), name)
  }
  t.strictSame(reads, [fileId], 'only the GET read the file')

  const absent = await fetch(host.handler({ action: 'download', fileId: 'unknown' }), { method: 'HEAD' })
  t.equal(absent.status, 404)
})

t.test('other methods on the download route are answered 405 with Allow and change nothing', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await fetch(host.handler({ action: 'download', fileId }), { method, body: 'x' })
    t.equal(response.status, 405, method)
    t.equal(response.headers.get('allow'), 'GET, HEAD', method)
    t.match(await response.json(), { code: 'FST_EDITOR_METHOD_NOT_ALLOWED', message: 'The download action accepts only GET, HEAD' })
  }
  t.equal(await host.storedText(fileId), 'content')
})
