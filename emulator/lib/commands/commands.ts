import { report } from '../sessions/delivery.js'
import { editors, type OpenDocument, userIds } from '../sessions/documents.js'
import type { ForgottenFile, SessionParts } from '../sessions/parts.js'
import { dropUsers, rename } from './editors.js'
import { deleteForgotten, findForgotten } from './forgotten.js'
import type { Sessions } from '../sessions/sessions.js'
import { license, VERSION } from './license.js'

// Source: docs/document-server-protocol.md#commands
const OK = 0
const UNKNOWN_KEY = 1
const CALLBACK = 2
const INTERNAL = 3
const UNKNOWN_COMMAND = 5

type Fields = Record<string, unknown>

interface Parts {
  readonly sessions: Sessions
  readonly parts: SessionParts
}

/** How a command is answered. */
export interface CommandReply {
  /** Address of a forgotten file. */
  urlOf (key: string, file: ForgottenFile): string
  /** Settled when the answer has been sent: what a command sets off follows it. */
  readonly sent: Promise<unknown>
}

/** An answer: it has the key first, then the error. Source: recorded. */
export function answerFor (key: unknown, error: number, more: object = {}): object {
  return { ...(key === undefined ? {} : { key }), error, ...more }
}

/** Carries out a signed command. */
export async function runCommand ({ sessions, parts }: Parts, fields: Fields, { urlOf, sent }: CommandReply): Promise<object> {
  const { c: command, key } = fields
  const keyed = (error: number, more?: object) => answerFor(key, error, more)

  if (command === 'version') return keyed(OK, { version: VERSION })
  if (command === 'license') return keyed(OK, license())
  if (command === 'getForgottenList') return keyed(OK, { keys: [...parts.forgotten.keys()].sort() })
  if (typeof key !== 'string') return keyed(UNKNOWN_KEY)

  const document = parts.documents.get(key)
  switch (command) {
    case 'info': {
      if (document === undefined) return keyed(UNKNOWN_KEY)
      const users = await reportUsers(parts, document, fields)
      return users === null ? keyed(CALLBACK) : keyed(OK, { users })
    }
    case 'forcesave': {
      if (document === undefined) return keyed(UNKNOWN_KEY)
      const { code, result } = await sessions.forceSave(document, { type: 'command', userdata: fields.userdata, announced: sent })
      // The answer means "started": the save itself follows, but for one that is repeated.
      result.catch(error => parts.log.error({ err: error, key }, 'force save failed'))
      return keyed(code)
    }
    case 'drop': return keyed(dropUsers(document, fields.users) ? OK : INTERNAL)
    case 'saved': {
      if (document !== undefined && fields.status !== '1') document.saidOfSave = fields.status ?? null
      return keyed(OK)
    }
    case 'meta': {
      if (!fields.meta) return keyed(UNKNOWN_COMMAND)
      rename(document, fields.meta)
      return keyed(OK)
    }
    case 'getForgotten': {
      const found = findForgotten(parts.forgotten, key)
      return found === undefined ? keyed(UNKNOWN_KEY) : keyed(OK, { url: urlOf(...found) })
    }
    case 'deleteForgotten': return keyed(deleteForgotten(parts.forgotten, key) ? OK : UNKNOWN_KEY)
    default: return keyed(UNKNOWN_COMMAND)
  }
}

/** `info` tells the host who is there by a callback, and waits for its answer. Null where there is no address for it. */
async function reportUsers (parts: SessionParts, document: OpenDocument, { callback, userdata }: Fields): Promise<string[] | null> {
  const users = userIds(editors(document))
  const url = callback || document.lastCallbackUrl
  if (typeof url !== 'string') return null
  const common = { key: document.key, userdata: userdata || undefined }
  const isOpen = users.length > 0 || document.changes.length > 0
  await report(parts, document, url, isOpen ? { ...common, status: 1, users } : { ...common, status: 4 })
  return users
}
