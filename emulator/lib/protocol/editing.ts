import { type Connection, type Editing, fieldsOf } from '../editing.js'
import { badToken, documentServerError } from '../errors.js'
import { baseUrlOf } from '../url.js'
import type { EditorConfig } from '../../types/document-server.js'
import { isOwnPage } from './allowed-hosts.js'
import { download } from './outbound/download.js'
import type { Parts } from './parts.js'
import { resultFolder } from './result-files/files.js'
import { editorOf } from './sessions/editor.js'
import type { Joined } from './sessions/joining.js'
import type { Sessions } from './sessions/sessions.js'
import { trustedConfig } from './tokens/config-token.js'

// Source: docs/document-server-protocol.md#its-order-and-its-effects
const NOT_DOWNLOADED = -4
const NOT_MADE = -83

/** What the document server does for the editor page. */
export function editing (
  { tokens, files, client, time, faults, closing, build, convert }: Parts,
  sessions: Sessions,
  url: () => string
): Editing {
  /** Even if the server has not noticed yet that the connection was cut. */
  async function reconnect (key: string, connectionId: string, connection: Connection): Promise<Joined> {
    const document = sessions.documents.get(key)
    const present = document?.participants.get(connectionId)
    if (document !== undefined && present !== undefined) await sessions.disconnect(document, present)
    return await sessions.reopen(key, connectionId, connection)
  }

  return {
    version: build.version,
    needsTokens: tokens.areRequired,
    convert,
    baseUrlOf: request => baseUrlOf(request.headers),
    isOwnPage: request => isOwnPage(request, url()),
    async open (config, connection, connectionId) {
      const trusted = trustedConfig(config as EditorConfig, tokens)
      const joined = connectionId === undefined
        ? await sessions.open(trusted, connection)
        : await reconnect(trusted.key, connectionId, connection)
      const { title, lang, mayDownload, mayWrite } = trusted
      return { editor: editorOf(sessions, joined), title, lang, mayDownload, mayWrite }
    },
    trusted (data) {
      const given = fieldsOf(data)
      if (!tokens.areRequired) return given
      const verified = tokens.verify(String(given.token ?? ''))
      if ('rejected' in verified) throw badToken(`The token is missing or not valid (${verified.rejected}).`)
      if (tokens.purposes.allowsElsewhere(verified.claims)) return verified.claims
      throw badToken('The token was made for another operation.')
    },
    async download (url, fileType, options) {
      if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
        throw documentServerError(NOT_DOWNLOADED, 'There is no URL to fetch the file from.')
      }
      try {
        return await download(client, time, url, fileType, options)
      } catch (error) {
        throw documentServerError(NOT_DOWNLOADED, 'The document server cannot download the file.', error)
      }
    },
    async conversionFault () {
      const fault = faults.take('conversion')
      if (fault?.type === 'slow') await time.pause(fault.ms, closing)
      if (fault?.type === 'error') throw documentServerError(NOT_MADE, 'The file could not be made.')
    },
    publish: (key, name, bytes, fileType) =>
      files.urlOf(files.put(`${resultFolder(key)}/${name}`, name, bytes, fileType), '', key),
    published (path) {
      const file = files.find(path)
      return typeof file === 'string' ? undefined : file
    }
  }
}
