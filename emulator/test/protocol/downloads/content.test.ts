import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { fixture, startBoth, startWithClock } from '../../support.js'

const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

for (const [encoding, encode] of Object.entries(encodings)) {
  t.test(`a ${encoding} body is decoded`, async t => {
    const { host, server } = await startBoth(t)
    host.routes.set('/files/report.docx', (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(encode(fixture('report.docx')))
    })
    t.strictSame(await (await server.open(host.config('K'))).content(), fixture('report.docx'))
  })
}

t.test('HTML with status 200 is accepted as the document', async t => {
  const { host, server } = await startBoth(t)
  const html = '<!DOCTYPE html><title>Please sign in</title>'
  host.routes.set('/files/report.docx', (_request, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end(html) })
  const session = await server.open(host.config('K'))
  t.equal((await session.content()).toString(), html)
  t.match(await session.close(), { status: 4 })
})

t.test('a key is downloaded once and then served from cache for 24 h, whatever the next document.url is', async t => {
  const { host, server, clock } = await startWithClock(t)
  host.files.set('/files/other.txt', Buffer.from('other'))
  const open = async (name: string) => {
    const session = await server.open(host.config('K', { name }))
    const text = (await session.content()).toString()
    await session.close()
    return text
  }
  const first = fixture('notes.txt').toString()
  t.equal(await open('notes.txt'), first)
  t.equal(await open('other.txt'), first)
  await clock.advance(86_400_000)
  t.equal(await open('other.txt'), first)
  t.equal(host.received.filter(({ method }) => method === 'GET').length, 1)
  await clock.advance(1)
  t.equal(await open('other.txt'), 'other')
})
