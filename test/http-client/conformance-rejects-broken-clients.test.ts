import { once } from 'node:events'
import net from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { type HttpClient, type HttpRequest, type HttpResponse, undiciClient } from '../../lib/index.js'
import { httpClientConformance } from '../../lib/testing/index.js'

/** Takes a sound client and breaks one promise of it. */
type Breakage = (sound: HttpClient) => HttpClient['request']

/** Changes the request before it is made. */
const asking = (change: (request: HttpRequest) => HttpRequest): Breakage => sound => async request => sound.request(change(request))

/** Changes the response after it has come. */
const answering = (change: (response: HttpResponse, request: HttpRequest) => HttpResponse | Promise<HttpResponse>): Breakage => sound =>
  async request => change(await sound.request(request), request)

async function collect (body: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Delivers what comes and takes an error for the end. */
async function * forgiving (body: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk
  } catch {}
}

const never = new AbortController().signal

const broken: Record<string, [failing: string[], Breakage]> = {
  'drops the headers': [
    ['a GET asks for the path', 'a POST carries the body'],
    asking(({ headers, ...request }) => request)
  ],
  'asks for the path without the query': [
    ['a GET asks for the path'],
    asking(request => ({ ...request, url: new URL(request.url.pathname, request.url) }))
  ],
  'drops the body of a POST': [
    ['a POST carries the body'],
    asking(({ body, ...request }) => request)
  ],
  'sends the body in Latin-1': [
    ['a POST carries the body'],
    asking(request => request.body === undefined ? request : { ...request, body: Buffer.from(request.body, 'latin1').toString('latin1') })
  ],
  'rejects for a status that is an error': [
    ['every status is a response'],
    answering(response => {
      if (response.status < 400) return response
      response.body.on('error', () => {}).destroy()
      throw new Error(`status ${response.status}`)
    })
  ],
  'follows a redirect': [
    ['no redirect is followed'],
    sound => async request => {
      const response = await sound.request(request)
      const location = response.status >= 300 && response.header('location')
      if (!location) return response
      response.body.on('error', () => {}).destroy()
      return sound.request({ ...request, url: new URL(location, request.url) })
    }
  ],
  'knows header names in lower case only': [
    ['header() finds a header', 'a Content-Encoding has been undone'],
    answering(response => ({ ...response, header: name => name === name.toLowerCase() ? response.header(name) : 'wrong' }))
  ],
  'gives an empty text for an absent header': [
    ['header() finds a header', 'the body is a Readable', 'a Content-Encoding has been undone'],
    answering(response => ({ ...response, header: name => response.header(name) ?? '' }))
  ],
  'answers 502 where there is no response': [
    ['a request rejects when nobody listens', 'a signal that is aborted already', 'a signal aborted while the headers'],
    sound => async request => sound.request(request).catch(() => ({ status: 502, header: () => undefined, body: Readable.from([]) }))
  ],
  'delivers the body when it is complete': [
    ['the body arrives as it is sent', 'a signal aborted during the body (identity)', 'a destroyed body (identity)'],
    answering(async response => {
      const bytes = await collect(response.body)
      return { ...response, body: Readable.from([bytes]) }
    })
  ],
  'takes the end of the connection for the end of the body': [
    ['the body errors when it ends before', 'the body errors when it is chunked', 'the body errors when its encoded bytes', 'a signal aborted during the body'],
    answering(response => ({ ...response, body: Readable.from(forgiving(response.body), { objectMode: false }) }))
  ],
  'drops the last byte': [
    ['the body is a Readable'],
    answering(response => {
      async function * shortened () {
        let held: Uint8Array | undefined
        for await (const chunk of response.body) {
          if (held) yield held
          held = chunk
        }
        if (held) yield held.subarray(0, -1)
      }
      return { ...response, body: Readable.from(shortened(), { objectMode: false }) }
    })
  ],
  'gives a body that is no Readable': [
    ['the body is a Readable'],
    answering(response => ({ ...response, body: Readable.toWeb(response.body) as unknown as Readable }))
  ],
  'tells of an encoding that it has undone': [
    ['a Content-Encoding has been undone'],
    answering(response => ({ ...response, header: name => response.header(name) ?? (/^content-encoding$/i.test(name) ? 'gzip' : undefined) }))
  ],
  'decodes twice': [
    ['a Content-Encoding has been undone'],
    answering(response => ({ ...response, body: response.body.compose(async function * (body: AsyncIterable<Uint8Array>) { for await (const chunk of body) yield chunk[0] === 0 ? gunzipSync(chunk) : chunk }) as Readable }))
  ],
  'ignores the signal': [
    ['a signal that is aborted already', 'a signal aborted while the headers', 'a signal aborted during the body (identity)', 'a signal aborted during the body (gzip)'],
    asking(request => ({ ...request, signal: never }))
  ],
  'ignores the signal once the headers are there': [
    ['a signal aborted during the body (identity)', 'a signal aborted during the body (gzip)'],
    sound => async request => {
      const controller = new AbortController()
      const forward = () => controller.abort(request.signal.reason)
      if (request.signal.aborted) forward()
      request.signal.addEventListener('abort', forward)
      const response = await sound.request({ ...request, signal: controller.signal })
      request.signal.removeEventListener('abort', forward)
      return response
    }
  ],
  'ignores publicOnly': [
    ['publicOnly refuses', 'a request that is not publicOnly'],
    asking(({ publicOnly, ...request }) => request)
  ],
  'refuses literal addresses only': [
    ['publicOnly refuses'],
    asking(request => ({ ...request, publicOnly: request.publicOnly === true && /^[[\d]/.test(request.url.hostname) }))
  ],
  'refuses names only': [
    ['publicOnly refuses', 'a request that is not publicOnly'],
    asking(request => ({ ...request, publicOnly: request.publicOnly === true && request.url.hostname === 'localhost' }))
  ],
  'refuses with an error of its own': [
    ['publicOnly refuses', 'a request that is not publicOnly'],
    sound => async request => sound.request(request).catch(() => { throw new Error('refused') })
  ],
  'takes every request for publicOnly': [
    ['a request that is not publicOnly'],
    asking(request => ({ ...request, publicOnly: true }))
  ],
  'connects before it refuses': [
    ['publicOnly refuses'],
    sound => async request => {
      if (request.publicOnly) await sound.request({ ...request, publicOnly: false }).then(({ body }) => body.on('error', () => {}).destroy(), () => {})
      return sound.request(request)
    }
  ],
  'breaks off in the middle of a POST': [
    ['a POST carries the body'],
    sound => async request => {
      if (request.method === 'GET') return sound.request(request)
      const socket = net.connect(Number(request.url.port), request.url.hostname)
      socket.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nnot all of it').resume()
      await once(socket, 'close')
      throw new Error('broken off')
    }
  ],
  'takes a failure before anybody reads for an end': [
    ['a body that fails before it is read (identity)', 'a body that fails before it is read (gzip)', 'a signal aborted before the body is read (identity)', 'a signal aborted before the body is read (gzip)'],
    answering(response => {
      let hasFailed = false
      response.body.on('error', () => { hasFailed = true })
      async function * unlessFailed () {
        if (!hasFailed) yield * response.body
      }
      return { ...response, body: Readable.from(unlessFailed(), { objectMode: false }) }
    })
  ],
  'keeps a failure before anybody reads to itself': [
    ['a body that fails before it is read (identity)', 'a body that fails before it is read (gzip)', 'a signal aborted before the body is read (identity)', 'a signal aborted before the body is read (gzip)'],
    answering(response => ({ ...response, body: response.body.on('error', () => {}).pipe(new PassThrough()) }))
  ],
  'lets a body run that nobody reads': [
    ['a body that is read late (identity)', 'a body that is read late (gzip)'],
    answering(response => {
      let isRead = false
      async function * begun () {
        isRead = true
        yield * response.body
      }
      setImmediate(() => { if (!isRead) response.body.on('error', () => {}).resume() })
      return { ...response, body: Readable.from(begun(), { objectMode: false }) }
    })
  ],
  'lets a destroyed body run on': [
    ['a destroyed body (identity)', 'a destroyed body (gzip)'],
    answering(response => {
      response.body.on('error', () => {})
      return { ...response, body: new Readable({ read () {} }) }
    })
  ]
}

// Together: each waits for what never happens with a broken client.
const outcomes = Object.entries(broken).map(([what, [failing, breakage]]) => ({ what, failing, failed: failedCases(failing, breakage) }))

for (const { what, failing, failed } of outcomes) {
  t.test(`a client that ${what} fails the conformance suite`, async t => {
    const titles = await failed
    for (const name of failing) t.ok(titles.some(title => title.startsWith(name)), name)
  })
}

/** Runs the cases whose names start so and tells which failed. */
async function failedCases (names: string[], breakage: Breakage): Promise<string[]> {
  const failed: string[] = []
  await httpClientConformance({
    create () {
      const sound = undiciClient()
      return { request: breakage(sound), close: async () => sound.close?.() }
    },
    test: (title, run) => names.some(name => title.startsWith(name)) ? run().catch(() => failed.push(title)) : undefined
  })
  return failed
}
