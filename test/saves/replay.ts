import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { EditorControl } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { errorOf } from '../kit/editing.js'
import { type Host, signed, startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'
import { contentIn, packageOf } from '../kit/packages.js'
import { storageOf } from '../kit/storage.js'
import {
  isRequest, type JsonObject, RECORDED, type Recording, type RequestStep
} from '../../emulator/test/recordings/recording.js'

/** What has become of the document, and what was answered on the way. */
export interface Outcome {
  /** One for each request of the document server: `1→0` is status 1 answered `{"error":0}`, `GET→200` a download. */
  readonly answers: string
  /** `old`, `gone`, or the number in the address of the saved file. */
  readonly stored: string
  /** How often the file was replaced. */
  readonly writes: number
  /** Names of the document keys handed out: at the start, whenever a recorded key was new, and in the end. */
  readonly keys: string
}

export interface ReplayOptions {
  /** Numbers of saved files that the document server does not hand out. */
  readonly unavailable?: readonly string[]
  /** What is added to each message, in turn. */
  readonly added?: readonly Additions[]
}

/** Claims, fields and headers that the recorded document server does not send. */
export interface Additions {
  /** Of the token in the body. */
  readonly bodyClaims: object
  /** Of the token in the header. */
  readonly besidePayload: object
  readonly inPayload: object
  /** Of the body. */
  readonly fields: object
  readonly headers: Readonly<Record<string, string>>
}

const NOTHING: Additions = { bodyClaims: {}, besidePayload: {}, inPayload: {}, fields: {}, headers: {} }

const OLD = packageOf('old')

/**
 * Sends the requests of a recorded document server to a real handler, signed anew, their keys and addresses being ours.
 */
export async function replay (t: Test, recording: Recording, { unavailable = [], added = [NOTHING] }: ReplayOptions = {}): Promise<Outcome> {
  const requests = recording.steps.filter(isRequest)
  const contents = contentsOf(requests)
  const documentServer = await startUpstream(t, (request, response) => {
    const number = numberIn(request.url!)
    const content = unavailable.includes(number) ? undefined : contents.get(number)
    response.writeHead(content === undefined ? 404 : 200).end(content)
  })
  const documents = await storageOf(t, t.testdir())
  const fileId = fileIdFor(recording)
  await documents.write(fileId, 'docx', OLD)
  const { storage, writes } = counting(documents.open())
  const host = await startHost(t, { documentServerOrigin: documentServer.origin, storage, saveRetries: 0 })
  const first = await host.app.editorControl().openDocument(fileId)
  if (recording.name === 'download-fails') await storage.remove(fileId)

  const keys = [first.documentKey]
  const keyOf = new Map<string, string>()
  const answers: string[] = []
  for (const [index, request] of requests.entries()) {
    const additions = added[index % added.length]!
    if (request.method === 'GET') {
      answers.push(await download(t, host, first, request, additions))
      continue
    }
    const recordedKey = request.body!.key as string
    if (!keyOf.has(recordedKey)) {
      keyOf.set(recordedKey, keyOf.size === 0 ? first.documentKey : await openedKey(host, fileId))
      if (keyOf.size > 1) keys.push(keyOf.get(recordedKey)!)
    }
    answers.push(await post(first.callbackUrl, request, fields => mapped(fields, keyOf, documentServer.origin), additions))
  }
  keys.push(await openedKey(host, fileId))
  return { answers: answers.join(' '), stored: await storedName(host, fileId), writes: writes(), keys: named(keys) }
}

async function download (
  t: Test,
  host: Host,
  { documentUrl }: EditorControl,
  { path }: RequestStep,
  { besidePayload, inPayload, headers }: Additions
): Promise<string> {
  const url = path.includes('missing') ? host.urls.download('missing') : documentUrl
  // The token has the address as it was configured, the request line as it is encoded.
  const response = await fetch(url, {
    headers: {
      ...headers,
      authorization: `Bearer ${signed({ ...besidePayload, payload: { ...inPayload, url: decodeURI(url) } })}`
    }
  })
  const body = await response.text()
  const fileId = new URL(url).searchParams.get('fileId')!
  if (response.status === 200) t.equal(body, await host.storedText(fileId), 'a download is what is stored')
  return `GET→${response.status}`
}

async function post (
  callbackUrl: string,
  { path, headers, body, bodyClaims, headerClaims }: RequestStep,
  map: (fields: JsonObject) => object,
  additions: Additions
): Promise<string> {
  const url = new URL(callbackUrl)
  for (const [name, value] of new URL(path, RECORDED.host).searchParams) url.searchParams.append(name, value)
  const { token, ...plain } = body!
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...additions.headers,
      'content-type': headers['Content-Type']!,
      'user-agent': headers['User-Agent']!,
      authorization: `Bearer ${signed({ ...additions.besidePayload, payload: { ...additions.inPayload, ...map(headerClaims.payload as JsonObject) } })}`
    },
    body: JSON.stringify({ ...additions.fields, ...map(plain), token: signed({ ...additions.bodyClaims, ...map(bodyClaims!) }) })
  })
  return `${String(body!.status)}→${String(response.status === 200 ? errorOf(await response.text()) : response.status)}`
}

function mapped ({ iat, exp, ...fields }: JsonObject, keyOf: ReadonlyMap<string, string>, origin: string): object {
  let json = JSON.stringify(fields).replaceAll(RECORDED.server, origin)
  for (const [recorded, key] of keyOf) json = json.replaceAll(new RegExp(`${recorded}(?!\\d)`, 'g'), key)
  return JSON.parse(json)
}

/**
 * The recorder's files had all the same bytes. Here one differs from another unless the document server says it does
 * not.
 */
function contentsOf (requests: readonly RequestStep[]): Map<string, string> {
  const contents = new Map<string, string>()
  let latest = OLD
  for (const { body } of requests) {
    if (typeof body?.url !== 'string') continue
    const number = numberIn(body.url)
    if (body.notmodified !== true) latest = packageOf(number)
    contents.set(number, latest)
  }
  return contents
}

function numberIn (url: string): string {
  return /_(\d+)\/output/.exec(url)?.[1] ?? ''
}

function fileIdFor ({ name }: Recording): string {
  return name === 'download-url-non-ascii' ? 'ünï cödé документ' : 'hello'
}

function counting (storage: DocumentStore): { storage: DocumentStore, writes: () => number } {
  let writes = 0
  return {
    writes: () => writes,
    storage: {
      ...storage,
      async commit (...given) {
        const committed = await storage.commit(...given)
        if (committed !== null) writes++
        return committed
      }
    }
  }
}

async function openedKey ({ app }: Host, fileId: string): Promise<string> {
  return await app.editorControl().openDocument(fileId).then(
    ({ documentKey }) => documentKey,
    (error: Error & { code?: string }) => error.code ?? error.message)
}

async function storedName ({ storage }: Host, fileId: string): Promise<string> {
  const file = await storage.read(fileId)
  return file === null ? 'gone' : contentIn(Buffer.from(await text(file.body)))!.toString().replace(/ \w+ *$/, '')
}

/** `A A B`: the third is another one. */
function named (keys: readonly string[]): string {
  const distinct = [...new Set(keys)]
  return keys.map(key => key.startsWith('FST_') ? 'none' : 'ABCDEF'[distinct.indexOf(key)]).join(' ')
}
