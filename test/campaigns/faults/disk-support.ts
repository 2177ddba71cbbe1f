import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type EditorControl, fileStorage } from '../../../lib/index.js'
import { errorOf, NEW, OLD } from '../../kit/editing.js'
import { answerWith, asDocumentServer, startUpstream } from '../../kit/http.js'
import { signed } from '../../kit/host.js'
import { documentsIn } from '../../kit/storage.js'
import type { DiskFault } from './disk-calls.js'

/** A service in a process of its own, on a disk that can be made to fail. */
export interface DiskService {
  /** A new document with the content `OLD`, and the key of a session that has just begun. */
  begin (fileId: string): Promise<string>
  /** The key that the next editor of the document gets. */
  key (fileId: string): Promise<string>
  /** Posts a callback as the document server does. Resolves to the answered `error`. */
  post (fileId: string, fields: object): Promise<unknown>
  /** Posts it while the disk fails. Resolves also to the name of the call that failed, empty if none did. */
  postWith (fault: DiskFault, fileId: string, fields: object): Promise<{ error: unknown, call: string }>
  /** The document's content under each of its names. */
  stored (fileId: string): Promise<Record<string, string>>
  /** What is there, temp files included, after the service was killed and what it left was swept. */
  listingAfterRestart (): Promise<string[]>
}

export async function startDiskService (t: Test): Promise<DiskService> {
  const directory = t.testdir()
  const documentServer = await startUpstream(t, answerWith(NEW))
  const service = fork(join(import.meta.dirname, 'disk-service.ts'), [directory, documentServer.origin], { execArgv: process.execArgv })
  t.teardown(() => service.kill('SIGKILL'))
  const [origin] = await once(service, 'message') as [string]
  const url = `${documentServer.origin}/cache/files/data/saved/output.docx`

  /** By fileId. */
  const callbackUrls = new Map<string, string>()

  /** The configuration that the page of the next editor sends to the document server. */
  async function opened (fileId: string): Promise<NonNullable<EditorControl['config']>> {
    return JSON.parse(await (await fetch(`${origin}/config/${fileId}`)).text())
  }

  async function key (fileId: string): Promise<string> {
    return (await opened(fileId)).document.key!
  }

  async function post (fileId: string, fields: object): Promise<unknown> {
    const payload = asDocumentServer({ url, users: ['ada'], ...fields }, [documentServer.origin])
    return errorOf(await sent('POST', callbackUrls.get(fileId)!, { ...payload, token: signed(payload) }))
  }

  async function sent (method: string, url: string, body: object): Promise<string> {
    const response = await fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    return await response.text()
  }

  return {
    key,
    post,
    async begin (fileId) {
      await writeFile(join(directory, `${fileId}.docx`), OLD)
      const { document, editorConfig } = await opened(fileId)
      const session = document.key!
      callbackUrls.set(fileId, editorConfig.callbackUrl!)
      t.equal(await post(fileId, { status: 1, key: session }), 0)
      return session
    },
    async postWith (fault, fileId, fields) {
      await sent('PUT', `${origin}/faults`, fault)
      const error = await post(fileId, fields)
      return { error, call: await (await fetch(`${origin}/faults`, { method: 'DELETE' })).text() }
    },
    async stored (fileId) {
      const names = (await readdir(directory)).filter(name => name.startsWith(`${fileId}.`))
      return Object.fromEntries(await Promise.all(names.map(async name => [name, await readFile(join(directory, name), 'utf8')])))
    },
    async listingAfterRestart () {
      service.kill('SIGKILL')
      await once(service, 'exit')
      await fileStorage({ directory }).sweep({ olderThan: -60_000 }) // however old: the clocks of file systems are coarse
      return (await documentsIn(directory)).sort()
    }
  }
}
