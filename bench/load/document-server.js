// Takes the place of the document server: serves the file that a save contains, and at /cache/files/<size>/<number>
// others; of every key it is asked about it says that nobody edits it.
import http from 'node:http'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { answerCalls } from '../framework/child.js'
import { content } from '../framework/content.js'
import { wantedFile } from '../framework/saved-file.js'

const UNKNOWN_KEY = 1
const SMALL = 1_000_000
/** @type {Map<string, Buffer>} */
const made = new Map()

const server = http.createServer((request, response) => {
  if (request.method === 'POST') {
    return response.end(
      JSON.stringify({
        error: UNKNOWN_KEY,
        key: new URL(String(request.url), 'http://localhost').searchParams.get('shardkey')
      })
    )
  }
  const { number, size } = wantedFile(String(request.url))
  if (!(size > 0 && number >= 0)) throw new Error(`a request for ${request.url}`)
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': size })
  if (size <= SMALL) response.end(small(size, number))
  else Readable.from(content(size, number), { objectMode: false }).pipe(response)
})

/**
 * Proxied files are requested again and again.
 * @param {number} size
 * @param {number} number
 */
function small (size, number) {
  if (number !== 0) return Buffer.concat([...content(size, number)])
  const id = String(size)
  const buffer = made.get(id) ?? Buffer.concat([...content(size, number)])
  made.set(id, buffer)
  return buffer
}

answerCalls({
  async start () {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    return { origin: `http://127.0.0.1:${port}` }
  }
})
