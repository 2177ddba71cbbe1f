import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { undiciClient } from '../../../lib/index.js'
import { handlerUrls, type HandlerUrls } from '../../../lib/security/signatures.js'
import { SECRET } from '../../kit/document-server.js'
import { type Editing, type EditingOptions, NEW, startEditing } from '../../kit/editing.js'
import { HANDLER, signed } from '../../kit/host.js'
import { savedAt } from '../../kit/http.js'
import { noWayOut, startNameServer, type Zone } from '../../kit/network.js'
import { packageOf } from '../../kit/packages.js'
import type { TargetOptions } from './attack.js'

/** What is in the attacker's own file at the document server. */
export const EVIL = packageOf('what the attacker wrote')
/** What is in the attacker's own document. */
const OWN = 'the document of the attacker'

export const JSON_TYPE = { 'content-type': 'application/json' }

export interface Target extends Editing {
  /** Of a document that the attacker may open. That of the victim is `fileId`. */
  readonly own: string
  /** Address of the attacker's own file at the document server. */
  readonly evilUrl: string
  /** Where connections were begun to, besides the service and its document server. */
  elsewhere (): string[]
  /** The URLs of a service that differs in something from this one. */
  urlsOf (changes: { readonly publicBaseUrl?: () => string, readonly secrets?: readonly string[], readonly downloadUrlLifetime?: number }): HandlerUrls
  /** Posts a save as the document server does, with both of its tokens. */
  saveFrom (url: string, fields?: object, fileId?: string): Promise<void>
  /** Whether a document holds what the attacker wrote. */
  isReplaced (fileId?: string): Promise<boolean>
}

/** A service with a document of a victim and one of the attacker. No connection of this process leaves loopback. */
export async function startTarget (t: Test, options: TargetOptions & EditingOptions): Promise<Target> {
  const begun = noWayOut(t)
  const editing = await startEditing(t, { memory: true, serve, ...options })
  const { fileId: own } = await editing.storage.create('docx', Buffer.from(OWN))
  const known = new Set([editing.origin, editing.documentServer.origin].map(origin => new URL(origin).host))

  return {
    ...editing,
    own,
    evilUrl: savedAt(editing.documentServer.origin, editing.key, 666, { shardkey: 'attacker' }),
    elsewhere: () => begun.filter(address => !known.has(address)),
    urlsOf: changes =>
      handlerUrls({
        publicBaseUrl: () => editing.origin,
        path: HANDLER,
        secrets: [SECRET],
        signedUrls: true,
        downloadUrlLifetime: 86_400_000,
        ...changes
      }),
    async saveFrom (url, fields = {}, fileId = editing.fileId) {
      await editing.postSignedCallback(fileId, { key: editing.keyOf(fileId), status: 2, url, filetype: 'docx', ...fields })
    },
    isReplaced: async (fileId = editing.fileId) => await editing.storedText(fileId) === EVIL
  }
}

/** Options of a service that asks a name server of ours for addresses. */
export async function namedBy (t: Test, zone: Zone) {
  const { lookup } = await startNameServer(t, zone)
  const httpClient = undiciClient({ lookup })
  t.teardown(() => httpClient.close?.())
  return { httpClient }
}

/** The header in which the document server asks for a download. */
export function tokenFor (url: string): Record<string, string> {
  return { authorization: `Bearer ${signed({ payload: { url } })}` }
}

export const now = () => Math.floor(Date.now() / 1000)

/** The document server: it has files of the attacker, too. */
function serve ({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [, target] = /^\/redirect\?(.*)$/.exec(url) ?? []
  if (target !== undefined) response.writeHead(302, { location: decodeURIComponent(target) }).end()
  else response.end(url.includes('attacker') ? EVIL : NEW)
}
