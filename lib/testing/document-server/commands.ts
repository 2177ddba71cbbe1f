import { sendCallback } from './callbacks.js'
import { editors, type OpenDocument, userIds } from './documents.js'
import { SERVER_VERSION } from './saving.js'
import type { ForgottenFile, SessionParts, Sessions } from './sessions.js'

// Source: the document server's command error codes.
const OK = 0
const UNKNOWN_KEY = 1
const NOTHING_TO_SAVE = 4
const UNKNOWN_COMMAND = 5

type Fields = Record<string, unknown>

interface Parts {
  readonly sessions: Sessions
  readonly parts: SessionParts
}

/** Carries out a signed command. The answer has the key first, then the error, as recorded. */
export async function runCommand ({ sessions, parts }: Parts, fields: Fields, urlOf: (key: string, file: ForgottenFile) => string): Promise<object> {
  const { c: command, key } = fields
  const keyed = (error: number, more: object = {}) => ({ ...(key === undefined ? {} : { key }), error, ...more })

  if (command === 'version') return { error: OK, version: `${SERVER_VERSION}.0` }
  if (command === 'getForgottenList') return { error: OK, keys: [...parts.forgotten.keys()].sort() }
  if (typeof key !== 'string') return keyed(UNKNOWN_KEY)

  const document = known(parts, key)
  switch (command) {
    case 'info': {
      if (document === undefined) return keyed(UNKNOWN_KEY)
      return keyed(OK, { users: await reportUsers(parts, document, fields) })
    }
    case 'forcesave': {
      if (document === undefined) return keyed(UNKNOWN_KEY)
      if (document.changes.length === document.forceSaved) return keyed(NOTHING_TO_SAVE)
      const { userdata } = fields
      // The answer means "started": the save itself follows.
      sessions.forceSave(document, { by: 'command', userdata: typeof userdata === 'string' ? userdata : undefined })
        .catch(error => parts.log.error({ err: error, key }, 'force save failed'))
      return keyed(OK)
    }
    case 'drop': {
      const users = Array.isArray(fields.users) ? fields.users : undefined
      for (const participant of document?.participants.values() ?? []) {
        if (users === undefined || users.includes(participant.userId)) participant.notify({ type: 'dropped' })
      }
      return keyed(OK)
    }
    case 'meta': return keyed(OK)
    case 'getForgotten': {
      const file = parts.forgotten.get(key)
      return file === undefined ? keyed(UNKNOWN_KEY) : keyed(OK, { url: urlOf(key, file) })
    }
    case 'deleteForgotten': return keyed(parts.forgotten.delete(key) ? OK : UNKNOWN_KEY)
    default: return keyed(UNKNOWN_COMMAND)
  }
}

/** `info` tells the host who is there by a callback, and waits for its answer. */
async function reportUsers ({ host }: SessionParts, document: OpenDocument, { callback, userdata }: Fields): Promise<string[]> {
  const present = editors(document)
  const users = userIds(present)
  const url = typeof callback === 'string' ? callback : present.at(-1)?.callbackUrl ?? document.lastCallbackUrl
  if (url !== null && URL.canParse(url)) {
    const common = { key: document.key, userdata: typeof userdata === 'string' ? userdata : undefined }
    await sendCallback(host, url, users.length > 0 ? { ...common, status: 1, users } : { ...common, status: 4 })
  }
  return users
}

function known ({ documents, forgotten }: SessionParts, key: string): OpenDocument | undefined {
  const document = documents.get(key)
  if (document === undefined || document.participants.size > 0) return document
  return forgotten.has(key) || document.savedAt !== null || document.source === null ? undefined : document
}
