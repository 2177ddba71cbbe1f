// Takes the place of the document server: sends as many bytes as the URL says, and reports when the last one was sent.
import http from 'node:http'
import { Readable } from 'node:stream'
import { wantedFile } from '../framework/saved-file.js'

const chunk = Buffer.alloc(64 * 1024, 'document')

const server = http.createServer((request, response) => {
  const { size } = wantedFile(String(request.url))
  response.writeHead(200, { 'content-length': size })
  response.once('finish', () => process.send?.({ type: 'ended', at: Date.now() }))
  Readable.from(chunks(size), { objectMode: false }).pipe(response)
})

/** @param {number} size */
function * chunks (size) {
  for (let sent = 0; sent < size; sent += chunk.length) yield chunk.subarray(0, size - sent)
}

server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.send?.({ type: 'listening', origin: `http://127.0.0.1:${port}` })
})
