import { once } from 'node:events'
import net from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { type EditorHttpClient, type EditorHttpRequest, type EditorHttpResponse, undiciClient } from '../../lib/index.js'
import { httpClientConformance } from '../../lib/conformance/index.js'

/** Takes a sound client and breaks one promise of it. */
type Breakage = (sound: EditorHttpClient) => EditorHttpClient['request']

/** Changes the request before it is made. */
const asking = (change: (request: EditorHttpRequest) => EditorHttpRequest): Breakage => sound => async request => sound.request(change(request))

/** Changes the response after it has come. */
const answering = (change: (response: EditorHttpResponse, request: EditorHttpRequest) => EditorHttpResponse | Promise<EditorHttpResponse>): Breakage => sound =>
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
    ['GET requests the path', 'POST sends the body'],
    asking(({ headers, ...request }) => request)
  ],
  'asks for the path without the query': [
    ['GET requests the path'],
    asking(request => ({ ...request, url: new URL(request.url.pathname, request.url) }))
  ],
  'drops the body of a POST': [['POST sends the body'], asking(({ body, ...request }) => request)],
  'sends the body in Latin-1': [
    ['POST sends the body'],
    asking(request => typeof request.body === 'string' ? { ...request, body: Buffer.from(request.body, 'latin1').toString('latin1') } : request)
  ],
  'takes bytes for text': [
    ['POST sends the body'],
    asking(request => request.body === undefined ? request : { ...request, body: String(request.body) })
  ],
  'rejects for a status that is an error': [
    ['every status resolves to a response'],
    answering(response => {
      if (response.status < 400) return response
      response.body.on('error', () => {}).destroy()
      throw new Error(`status ${response.status}`)
    })
  ],
  'follows a redirect': [
    ['redirects are not followed'],
    sound => async request => {
      const response = await sound.request(request)
      const location = response.status >= 300 && response.header('location')
      if (!location) return response
      response.body.on('error', () => {}).destroy()
      return sound.request({ ...request, url: new URL(location, request.url) })
    }
  ],
  'knows header names in lower case only': [
    ['header() ignores the case of names', 'an encoded body is decoded'],
    answering(response => ({ ...response, header: name => name === name.toLowerCase() ? response.header(name) : 'wrong' }))
  ],
  'gives an empty text for an absent header': [
    ['header() ignores the case of names', 'the body is a Readable', 'an encoded body is decoded'],
    answering(response => ({ ...response, header: name => response.header(name) ?? '' }))
  ],
  'answers 502 where there is no response': [
    ['request rejects if no server listens', 'with an aborted signal, request rejects', 'aborting before the headers arrive'],
    sound => async request => sound.request(request).catch(() => ({ status: 502, header: () => undefined, body: Readable.from([]) }))
  ],
  'delivers the body when it is complete': [
    [
      'the body is delivered as it arrives',
      'aborting during the body makes it fail and closes its connection (identity)',
      'destroying the body closes its connection (identity)'
    ],
    answering(async response => {
      const bytes = await collect(response.body)
      return { ...response, body: Readable.from([bytes]) }
    })
  ],
  'takes the end of the connection for the end of the body': [
    [
      'the body fails if it ends before its Content-Length', 'a chunked body fails if it ends before its last chunk',
      'an encoded body fails if it is truncated', 'aborting during the body makes it fail'
    ],
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
  'returns a body that is not a Readable': [
    ['the body is a Readable'],
    answering(response => ({ ...response, body: Readable.toWeb(response.body) as unknown as Readable }))
  ],
  'reports an encoding that it has decoded': [
    ['an encoded body is decoded'],
    answering(response => ({ ...response, header: name => response.header(name) ?? (/^content-encoding$/i.test(name) ? 'gzip' : undefined) }))
  ],
  'decodes twice': [
    ['an encoded body is decoded'],
    answering(response => ({
      ...response,
      body: response.body.compose(async function * (body: AsyncIterable<Uint8Array>) {
        for await (const chunk of body) yield chunk[0] === 0 ? gunzipSync(chunk) : chunk
      }) as Readable
    }))
  ],
  'ignores the signal': [
    [
      'with an aborted signal, request rejects', 'aborting before the headers arrive',
      'aborting during the body makes it fail and closes its connection (identity)',
      'aborting during the body makes it fail and closes its connection (gzip)'
    ],
    asking(request => ({ ...request, signal: never }))
  ],
  'ignores the signal once the headers are there': [
    ['aborting during the body makes it fail and closes its connection (identity)', 'aborting during the body makes it fail and closes its connection (gzip)'],
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
    ['publicOnly refuses', 'without publicOnly a loopback IP address is reached'],
    asking(({ publicOnly, ...request }) => request)
  ],
  'refuses literal addresses only': [
    ['publicOnly refuses'],
    asking(request => ({ ...request, publicOnly: request.publicOnly === true && /^[[\d]/.test(request.url.hostname) }))
  ],
  'refuses names only': [
    ['publicOnly refuses', 'without publicOnly a loopback IP address is reached'],
    asking(request => ({ ...request, publicOnly: request.publicOnly === true && request.url.hostname === 'localhost' }))
  ],
  'refuses with an error of its own': [
    ['publicOnly refuses', 'without publicOnly a loopback IP address is reached'],
    sound => async request => sound.request(request).catch(() => { throw new Error('refused') })
  ],
  'treats every request as publicOnly': [
    ['without publicOnly a loopback IP address is reached'],
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
    ['POST sends the body'],
    sound => async request => {
      if (request.method === 'GET') return sound.request(request)
      const socket = net.connect(Number(request.url.port), request.url.hostname)
      socket.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nnot all of it').resume()
      await once(socket, 'close')
      throw new Error('broken off')
    }
  ],
  'treats a failure before reading as a normal end': [
    [
      'a body that has failed before it is read fails when it is read (identity)',
      'a body that has failed before it is read fails when it is read (gzip)',
      'aborting before the body is read closes its connection and makes the body fail when it is read (identity)',
      'aborting before the body is read closes its connection and makes the body fail when it is read (gzip)'
    ],
    answering(response => {
      let hasFailed = false
      response.body.on('error', () => { hasFailed = true })
      async function * unlessFailed () {
        if (!hasFailed) yield * response.body
      }
      return { ...response, body: Readable.from(unlessFailed(), { objectMode: false }) }
    })
  ],
  'hides a failure before reading': [
    [
      'a body that has failed before it is read fails when it is read (identity)',
      'a body that has failed before it is read fails when it is read (gzip)',
      'aborting before the body is read closes its connection and makes the body fail when it is read (identity)',
      'aborting before the body is read closes its connection and makes the body fail when it is read (gzip)'
    ],
    answering(response => ({ ...response, body: response.body.on('error', () => {}).pipe(new PassThrough()) }))
  ],
  'keeps receiving a body that nobody reads': [
    ['a body that is read late is complete (identity)', 'a body that is read late is complete (gzip)'],
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
  'keeps receiving a destroyed body': [
    ['destroying the body closes its connection (identity)', 'destroying the body closes its connection (gzip)'],
    answering(response => {
      response.body.on('error', () => {})
      return { ...response, body: new Readable({ read () {} }) }
    })
  ]
}

// Together: each waits for what never happens with a broken client.
const outcomes = Object.entries(broken).map(([what, [failing, breakage]]) => ({ what, failing, failed: failedCases(failing, breakage) }))

for (const { what, failing, failed } of outcomes) {
  t.test(`the conformance suite rejects a client that ${what}`, async t => {
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
      return { client: { request: breakage(sound), close: async () => sound.close?.() } }
    },
    test: (title, run) => names.some(name => title.startsWith(name)) ? run().catch(() => failed.push(title)) : undefined
  })
  return failed
}
