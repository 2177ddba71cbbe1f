import { randomBytes } from 'node:crypto'
import { isJsonObject, parseJson } from '../json.js'
import type { Settings } from '../options.js'
import type { DirectRequester } from './direct-request.js'
import { reachableServiceUrl } from './service-url.js'

const MAX_POLLS = 3
/** Between the packets of one answer. */
const SEPARATOR = '\x1E'

/**
 * Whether the document server lets in an editor that has no token; `undefined` if that cannot be seen. Does what the page of an editor does
 * before it opens a document: it connects, by polling. Source: docs/document-server-protocol.md#the-configuration-and-its-token
 */
export async function letsInWithoutToken ({ documentServer }: Pick<Settings, 'documentServer'>, direct: DirectRequester, signal: AbortSignal): Promise<boolean | undefined> {
  const url = reachableServiceUrl(documentServer, `/doc/fastify-onlyoffice-${randomBytes(9).toString('hex')}/c/`)
  const ask = async (query: object, body?: string): Promise<string> => {
    url.search = new URLSearchParams({ EIO: '4', transport: 'polling', ...query }).toString()
    const outcome = await direct('command', url, { signal, ...(body !== undefined && { method: 'POST', headers: { 'content-type': 'text/plain;charset=UTF-8' }, body }) })
    return 'response' in outcome && outcome.response.status === 200 ? outcome.response.text : ''
  }
  const opened = await ask({})
  const handshake = opened.startsWith('0') ? parseJson(opened.slice(1)) : undefined
  if (!isJsonObject(handshake) || typeof handshake.sid !== 'string') return undefined
  const { sid } = handshake
  if (await ask({ sid }, '40') !== 'ok') return undefined
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const packets = (await ask({ sid })).split(SEPARATOR)
    if (packets.some(packet => packet.startsWith('44'))) return false
    if (!packets.some(packet => packet.startsWith('40'))) continue
    await ask({ sid }, '1') // leaves
    return true
  }
  return undefined
}
