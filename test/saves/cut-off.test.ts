import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import t from 'tap'
import type { EditorHttpClient } from '../../lib/index.js'
import { OLD, startEditing } from '../kit/editing.js'

const WHOLE = readFileSync(new URL('../fixtures/documents/report.docx', import.meta.url))
const COMMENTED = Buffer.concat([WHOLE.subarray(0, -2), Buffer.from([0xff, 0xff]), Buffer.alloc(65_535, ' ')])

/** Cut off by someone on the way who announces what is left as the whole. */
const cuts = { 'the last byte of its body': WHOLE.length - 23, 'the second half': WHOLE.length >> 1, 'all but the first kilobyte': 1024 }

for (const [missing, length] of Object.entries(cuts)) {
  t.test(`a container without ${missing} and its end is refused, whatever its Content-Length`, async t => {
    const { post, key, url, storedText, fileId, documentServer } = await startEditing(t, {
      saveRetries: 1,
      serve: (_request, response) => response.end(WHOLE.subarray(0, length))
    })
    t.equal(await post({ key, status: 2, url, filetype: 'docx' }), 1)
    t.equal(await storedText(fileId), OLD)
    t.equal(documentServer.requests.length, 2, 'a truncated answer may be complete the next time')
  })
}

t.test('a text that is shorter than announced is refused, whatever the HTTP client makes of it', async t => {
  const httpClient: EditorHttpClient = {
    request: async () => ({
      status: 200,
      header: name => name.toLowerCase() === 'content-length' ? '10' : undefined,
      body: Readable.from([Buffer.from('short')])
    })
  }
  const { post, key, url, storedText, fileId } = await startEditing(t, { httpClient, saveRetries: 0 })
  t.equal(await post({ key, status: 2, url }), 1)
  t.equal(await storedText(fileId), OLD)
})

t.test('a container with the longest possible comment at its end is complete', async t => {
  const { post, key, url, storage, fileId } = await startEditing(t, { serve: (_request, response) => response.end(COMMENTED) })
  t.equal(await post({ key, status: 2, url, filetype: 'docx' }), 0)
  t.equal((await storage.stat(fileId))!.size, COMMENTED.length)
})

t.test('a container is checked across small chunks and partial chunks, and stored completely', async t => {
  const { post, key, url, storage, fileId } = await startEditing(t, {
    serve (_request, response) {
      for (let at = 0; at < WHOLE.length; at += 7) response.write(WHOLE.subarray(at, at + 7))
      response.end()
    }
  })
  t.equal(await post({ key, status: 2, url, filetype: 'docx' }), 0)
  t.equal((await storage.stat(fileId))!.size, WHOLE.length)
})
