import type { RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { memoryStorage } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { errorOf, NEW, OLD } from '../kit/editing.js'
import { answerWith, startUpstream } from '../kit/http.js'
import { type HostOptions, startHost } from '../kit/host.js'

const PATH = '/output.docx'

/** A service whose document server answers the first requests with these, then with the document. */
async function startFailing (t: Test, failures: readonly RequestListener[], options: HostOptions = {}) {
  let attempts = 0
  let writes = 0
  const { origin, requests } = await startUpstream(t, (request, response) => (failures[attempts++] ?? answerWith(NEW))(request, response))
  const memory = memoryStorage()
  const storage: DocumentStore = {
    ...memory,
    async commit (...given) {
      const committed = await memory.commit(...given)
      writes++
      return committed
    }
  }
  const host = await startHost(t, { documentServerOrigin: origin, ...options, storage })
  const { fileId } = await storage.create('docx', Buffer.from(OLD))
  const openedKey = async () => (await host.app.editorControl().openDocument(fileId)).documentKey
  const key = await openedKey()
  return {
    key,
    openedKey,
    async save () {
      const { body } = await host.postSignedCallback(fileId, { key, status: 2, url: `${origin}${PATH}`, filetype: 'docx' })
      return { error: errorOf(body), fetches: requests.length, writes, content: await host.storedText(fileId) }
    }
  }
}

/** Sends the beginning of the document and goes away. */
const cutOff = (headers: Record<string, string>): RequestListener => (_request, response) => {
  response.writeHead(200, headers)
  response.write(NEW.slice(0, 10), () => response.destroy())
}
const transient: Record<string, RequestListener> = {
  408: answerWith('later', 408),
  429: answerWith('later', 429),
  500: answerWith('later', 500),
  503: answerWith('later', 503),
  'no answer': request => { request.socket.destroy() },
  'an answer cut off, of an announced length': cutOff({ 'content-length': String(NEW.length) }),
  'an answer cut off, in chunks': cutOff({}),
  'an answer that does not go on': (_request, response) => { response.write(NEW.slice(0, 10)) }
}
const final: Record<string, RequestListener> = {
  400: answerWith('no', 400),
  401: answerWith('no', 401),
  403: answerWith('no', 403),
  404: answerWith('no', 404),
  410: answerWith('no', 410),
  204: answerWith('', 204),
  206: answerWith(NEW, 206),
  304: answerWith('', 304),
  'an error page with status 200': answerWith('<html><body>out of order</body></html>', 200, { 'content-type': 'text/html' }),
  'no document of its format': answerWith('out of order'),
  'nothing at all': answerWith(''),
  'too many bytes': answerWith('PK\x03\x04'.padEnd(1001)),
  'too many bytes, not announced': (_request, response) => { response.write('PK\x03\x04'.padEnd(600)); response.end(''.padEnd(600)) },
  'a redirect to nowhere': answerWith('', 302),
  'a redirect to itself': answerWith('', 302, { location: PATH }),
  'a redirect to a file': answerWith('', 302, { location: 'file:///etc/hosts' })
}

for (const [name, failure] of Object.entries(transient)) {
  t.test(`saveRetries: ${name} is retried, and the document is stored once`, async t => {
    const { save } = await startFailing(t, [failure], { saveRetries: 1, timeouts: { idle: 300 } })
    t.strictSame(await save(), { error: 0, fetches: 2, writes: 1, content: NEW })
    t.strictSame(await save(), { error: 0, fetches: 2, writes: 1, content: NEW }, 'a repeat fetches nothing')
  })
}

for (const [name, failure] of Object.entries(final)) {
  t.test(`saveRetries: ${name} is not retried`, async t => {
    const { save } = await startFailing(t, repeat(failure), { saveRetries: 2, maxFileSize: 1000 })
    const { fetches, ...rest } = await save()
    t.strictSame(rest, { error: 1, writes: 0, content: OLD })
    t.equal(fetches, name === 'a redirect to itself' ? 6 : 1)
  })
}

t.test('saveRetries: by default a save is fetched up to three times, then refused', async t => {
  const { save, openedKey, key } = await startFailing(t, repeat(transient[503]!))
  t.strictSame(await save(), { error: 1, fetches: 3, writes: 0, content: OLD })
  t.equal(await openedKey(), key)
})

t.test('saveRetries: 0 fetches once', async t => {
  const { save } = await startFailing(t, [transient[503]!], { saveRetries: 0 })
  t.strictSame(await save(), { error: 1, fetches: 1, writes: 0, content: OLD })
  t.strictSame(await save(), { error: 0, fetches: 2, writes: 1, content: NEW })
})

t.test('saveRetries: a redirect to a URL that is not allowed is not retried', async t => {
  const { save } = await startFailing(t, [answerWith('', 302, { location: 'http://127.0.0.1:1/' })], { saveRetries: 2 })
  t.strictSame(await save(), { error: 1, fetches: 1, writes: 0, content: OLD })
})

function repeat (answer: RequestListener): RequestListener[] {
  return Array.from({ length: 20 }, () => answer)
}
