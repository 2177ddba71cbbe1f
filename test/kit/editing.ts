import type { RequestListener } from 'node:http'
import { readdir } from 'node:fs/promises'
import type { Test } from 'tap'
import { memoryStorage, type Profile } from '../../lib/index.js'
import { type Host, type HostOptions, signed, startHost } from './host.js'
import { startUpstream, type Upstream } from './http.js'
import { isOnS3, storageOf, type TestStorage } from './storage.js'

/** A storage knows nothing of profiles: one is enough for another storage. */
export const profiles: ReadonlyArray<'secure' | 'classic'> = isOnS3 ? ['secure'] : ['secure', 'classic']

export const OLD = 'the stored content'
/** Begins and ends like a zip file, as every format does that the document server saves documents in. */
export const NEW = 'PK\x03\x04 what the document server saved PK\x05\x06'

export interface EditingOptions extends HostOptions {
  readonly profile?: Profile
  /** Default: files. On S3 it is there. */
  readonly memory?: boolean
  /** What the document server answers when a saved file is fetched. Default: the new content. */
  readonly serve?: RequestListener
  /** Of the stored file. Default `txt`: any content may be saved for it. */
  readonly extension?: string
}

export interface Editing extends Host {
  readonly documentServer: Upstream
  readonly fileId: string
  /** The document key of the stored content. */
  readonly key: string
  /** A document key of a file that need not exist. */
  keyOf (fileId: string): string
  /** The document key that the next editor of the file gets. */
  openedKey (fileId?: string): Promise<string>
  /** Address of the saved file at the document server. */
  readonly url: string
  /**
   * Posts a callback as the profile wants it, signed or plain, for the stored file unless another is named, under a key
   * of that file unless there is one in the fields. Resolves to the answered `error`.
   */
  post (fields: object, fileId?: string): Promise<unknown>
  /** What other programs do with the files. Not in memory. */
  readonly others: TestStorage
  /** The documents that are stored, and whatever else is in the directory. Empty in memory. */
  listing (): Promise<string[]>
  /** The stored bytes are the old ones and nothing else was left in the directory. */
  unchanged (t: Test, message: string): Promise<void>
}

/** A service with one stored document and the document server that edits it, both really listening. */
export async function startEditing (
  t: Test,
  { serve = answerWith(NEW), memory: wantsMemory = false, extension = 'txt', ...options }: EditingOptions = {}
): Promise<Editing> {
  const profile = options.profile ?? 'secure'
  const memory = wantsMemory && !isOnS3
  const root = memory || isOnS3 ? '' : t.testdir()
  const documentServer = await startUpstream(t, serve)
  const others = await storageOf(t)
  const storage = memory ? memoryStorage() : others.open()
  const host = await startHost(t, { documentServerOrigin: documentServer.origin, storage, saveRetries: 0, ...options })
  const { fileId } = await host.storage.create(extension, Buffer.from(OLD))

  async function listing (): Promise<string[]> {
    if (memory) return []
    const beside = root === '' ? [] : (await readdir(root)).filter(name => name !== 'uploads')
    return [...beside, ...await others.listing()]
  }
  const before = await listing()

  async function openedKey (id = fileId): Promise<string> {
    const control = await host.app.editorControl().openDocument(id)
    t.equal(control.config?.document.key, control.documentKey)
    return control.documentKey
  }

  const key = await openedKey()
  /** The document server always names one. */
  function keyOf (id: string): string {
    return id === fileId ? key : host.keys.of({ fileId: id, revision: 'some' })
  }

  return {
    ...host,
    documentServer,
    fileId,
    key,
    keyOf,
    openedKey,
    url: `${documentServer.origin}/cache/files/data/key-of-the-session_1/output.docx/output.docx?md5=m-d-5&expires=1&filename=output.docx`,
    async post (fields, id = fileId) {
      const answer = profile === 'secure' ? await host.postSignedCallback(id, { key: keyOf(id), ...fields }) : await host.postCallback(id, fields)
      t.equal(answer.status, 200)
      return errorOf(answer.body)
    },
    others,
    listing,
    async unchanged (t, message) {
      t.equal(await host.storedText(fileId), OLD, `${message}: the bytes are unchanged`)
      t.strictSame(await listing(), before, `${message}: no other file, no temp file`)
    }
  }
}

/** The body is exactly `{"error":n}`. */
export function errorOf (body: string): unknown {
  return body === '{"error":0}' ? 0 : body === '{"error":1}' ? 1 : body
}

export function answerWith (body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => response.writeHead(status, headers).end(body)
}

/** The callback's body as the profile wants it. */
export function bodyFor (profile: Profile, fields: object): object {
  return profile === 'secure' ? { ...fields, token: signed(fields) } : fields
}
