import fc from 'fast-check'
import t from 'tap'
import { HANDLER, signed } from '../../kit/host.js'
import { asDocumentServer } from '../../kit/http.js'
import { encoded, encodings, type Encoding, fileIds } from './file-ids.js'
import { contentOf, DOCUMENTS } from './directory.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import { assertThat, callbackOf, errorOf, isNoHttp, type Service, startService, stillWorks } from './service.js'

const credentials = ['signature', 'token', 'none', 'of another file', 'expired'] as const

interface Input {
  readonly id: string
  readonly encoding: Encoding
  readonly credential: typeof credentials[number]
}

const inputs: fc.Arbitrary<Input> = fc.record({
  id: fileIds,
  encoding: encodings,
  credential: mostly(fc.constantFrom('signature', 'token'), fc.constantFrom(...credentials))
})

t.setTimeout(TIMEOUT_MS)

t.test('no fileId reads or writes anything but its own document', async t => {
  const service = await startService(t)
  await fuzz(t, {
    name: 'download',
    share: 70,
    input: inputs,
    check: input => download(service, input),
    seen: { served: 0.1, absent: 0.15, forbidden: 0.1 }
  })
  await fuzz(t, {
    name: 'save',
    share: 70,
    input: inputs,
    check: input => save(service, input),
    seen: { stored: 0.1, refused: 0.2 }
  })
  await stillWorks(t, service)
})

t.test('without signed URLs a token gives access only to the file it names', async t => {
  const service = await startService(t, { signedUrls: false })
  await fuzz(t, { name: 'download-token', share: 20, input: inputs, check: input => download(service, input), seen: { served: 0.05, forbidden: 0.1 } })
  await stillWorks(t, service)
})

async function download (service: Service, input: Input): Promise<string> {
  const { target, named, exact, allowed } = targetOf(service, input, 'download')
  const url = service.host.origin + target
  const { answer, changed } = await service.send({
    target,
    headers: input.credential === 'token' ? [`Authorization: Bearer ${signed({ payload: { url } })}`] : []
  })
  assertThat(changed.length === 0, 'a download changed a file')
  if (answer.status === 200) {
    assertThat(named !== null && Object.hasOwn(DOCUMENTS, named) && answer.text === contentOf(named), 'the bytes are of another file')
    assertThat(allowed || (input.credential === 'token' && !service.signedUrls), 'there was no credential')
    return 'served'
  }
  assertThat([400, 401, 403, 404, 431].includes(answer.status), `status ${answer.status}`)
  assertThat(!(exact && allowed && Object.hasOwn(DOCUMENTS, input.id)), `a document is refused with ${answer.status}`)
  return answer.status === 404 ? 'absent' : answer.status === 401 || answer.status === 403 ? 'forbidden' : 'malformed'
}

async function save (service: Service, input: Input): Promise<string> {
  const { target, exact, allowed } = targetOf(service, input, 'callback')
  const { origin } = service.upstream
  const fields = asDocumentServer({ key: await service.keyOf(input.id), status: 2, url: `${origin}/ok` }, [origin])
  const seen = await service.send(callbackOf(target, fields))
  if (isNoHttp(seen.answer)) return 'malformed'
  const error = errorOf(seen)
  const isDocument = Object.hasOwn(DOCUMENTS, input.id)
  assertThat(error === 0 || seen.changed.length === 0, 'a refused save changed a file')
  assertThat(seen.changed.every(fileId => fileId === input.id), 'another file changed')
  assertThat(isDocument || seen.requests.length === 0, 'a save of an absent file was fetched')
  assertThat(seen.changed.length === 0 || allowed, 'there was no credential')
  assertThat(!(exact && isDocument && allowed) || seen.changed.length === 1, 'a good save is not stored')
  return seen.changed.length === 1 ? 'stored' : error === 0 ? 'acknowledged' : 'refused'
}

/** Under a name that is percent-encoded in some way, with the signature that the input has. */
function targetOf (service: Service, { id, encoding, credential }: Input, action: 'download' | 'callback') {
  const fileId = service.fill(id)
  const raw = encoded(fileId, encoding)
  const urls = credential === 'expired' ? service.expiredUrls : service.host.urls
  const signedId = credential === 'of another file' ? `${fileId}.` : fileId
  const isSigned = service.signedUrls && credential !== 'none' && (action === 'callback' || credential !== 'token') && signedId.isWellFormed()
  const signature = isSigned ? new URL(urls[action](signedId)).search.replace(/^.*?(?=&expires|&signature|$)/, '') : ''
  const named = new URLSearchParams(`fileId=${raw}`).get('fileId')
  const exact = encoding === 'component'
  const isOwn = isSigned && signedId === fileId && (credential !== 'expired' || action === 'callback')
  const allowed = isOwn || (action === 'download' && credential === 'token' && !service.signedUrls && exact)
  return { target: `${HANDLER}?action=${action}&fileId=${raw}${signature}`, named, exact, allowed }
}
