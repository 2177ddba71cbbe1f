import type { RequestListener } from 'node:http'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { fileStorage, memoryStorage, type Profile } from '../../lib/index.js'
import { type Host, type HostOptions, signed, startHost } from './host.js'
import { startUpstream, type Upstream } from './listen.js'

export const profiles = ['secure', 'classic'] as const

export const OLD = 'the stored content'
/** Begins and ends like a zip file, as every format does that the document server saves documents in. */
export const NEW = 'PK\x03\x04 what the document server saved PK\x05\x06'

/** Where file storage keeps its records of sessions, and the versions of documents. */
const OWN_FOLDERS = ['.fastify-onlyoffice-state', '.fastify-onlyoffice-versions']

export interface EditingOptions extends HostOptions {
  readonly profile?: Profile
  /** Default: files. */
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
  /** Posts a callback as the profile wants it, signed or plain, for the stored file unless another is named, under a key of that file unless there is one in the fields. Resolves to the answered `error`. */
  post (fields: object, fileId?: string): Promise<unknown>
  /** What is in the storage's directory. */
  listing (): Promise<string[]>
  /** The stored bytes are the old ones and nothing else was left in the directory. */
  unchanged (t: Test, message: string): Promise<void>
}

/** A service with one stored document and the document server that edits it, both really listening. */
export async function startEditing (t: Test, { serve = answerWith(NEW), memory = false, extension = 'txt', ...options }: EditingOptions = {}): Promise<Editing> {
  const profile = options.profile ?? 'secure'
  const root = memory ? '' : t.testdir()
  const documentServer = await startUpstream(t, serve)
  const storage = memory ? memoryStorage() : fileStorage({ directory: join(root, 'uploads') })
  const host = await startHost(t, { documentServerOrigin: documentServer.origin, storage, saveRetries: 0, ...options })
  const { fileId } = await host.storage.create(extension, Buffer.from(OLD))

  async function listing (): Promise<string[]> {
    if (memory) return []
    return [...await readdir(root), ...await documentsIn(join(root, 'uploads'))].sort()
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
    listing,
    async unchanged (t, message) {
      t.equal(await host.storedText(fileId), OLD, `${message}: the bytes are unchanged`)
      t.strictSame(await listing(), before, `${message}: no other file, no temp file`)
    }
  }
}

/** What is in the directory of a file storage: documents, and whatever should not be there. Its records and versions are left out. */
export async function documentsIn (directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter(name => !OWN_FOLDERS.includes(name))
  const own = await Promise.all(OWN_FOLDERS.map(async folder => await readdir(join(directory, folder), { recursive: true }).catch(() => [])))
  return [...names, ...own.flat().filter(name => name.includes('~'))]
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
