import { once } from 'node:events'
import http from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import { memoryStorage, type Storage } from '../../lib/index.js'
import { deferred } from '../helpers/deferred.js'
import { startHost } from '../helpers/host.js'

t.test('row 51, download: when the client leaves, the file is closed and not read to its end', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', Buffer.from('content'))
  const size = 1024 ** 3
  let produced = 0
  const closed = deferred()
  const storage: Storage = {
    ...memory,
    stat: async id => ({ ...(await memory.stat(id))!, size }),
    async read (id) {
      const body = new Readable({
        read (wanted) {
          produced += wanted
          this.push(Buffer.alloc(wanted))
        }
      })
      body.once('close', () => closed.resolve())
      return { info: { ...(await memory.stat(id))!, size }, body }
    }
  }
  const host = await startHost(t, { profile: 'classic', storage })
  const request = http.get(host.handler({ action: 'download', fileId }))
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  t.equal(response.statusCode, 200)
  await once(response, 'data')
  request.destroy()
  await closed.promise
  t.ok(produced < size / 10, `${produced} bytes were read`)
})

t.test('a storage that fails while the file is sent cuts the connection: a short file never looks whole', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', Buffer.from('0123456789'))
  const storage: Storage = {
    ...memory,
    async read (id) {
      async function * content () {
        yield Buffer.from('0123')
        throw new Error('the disk is gone')
      }
      return { info: (await memory.stat(id))!, body: Readable.from(content(), { objectMode: false }) }
    }
  }
  const host = await startHost(t, { profile: 'classic', storage })
  await t.rejects((async () => (await fetch(host.handler({ action: 'download', fileId }))).text())())
})

t.test('a storage that fails before is answered 500 without a word of why', async t => {
  const storage: Storage = { ...memoryStorage(), stat: async () => { throw new Error('EIO: /secret/path') } }
  const host = await startHost(t, { profile: 'classic', storage })
  const response = await fetch(host.handler({ action: 'download', fileId: 'a' }))
  t.equal(response.status, 500)
  t.equal(await response.text(), 'Internal Server Error')
  t.equal(response.headers.get('content-disposition'), null)
})
