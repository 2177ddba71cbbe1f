import { toUrl } from '../url.js'
import { deliver } from '../sessions/delivery.js'
import { editors, type OpenDocument, userIds } from '../sessions/documents.js'
import { forceSavable } from '../sessions/force-saving.js'
import type { ForgottenFile, SessionParts } from '../sessions/parts.js'
import type { Sessions } from '../sessions/sessions.js'
import { license, VERSION } from './license.js'

// Source: the document server's command error codes.
const OK = 0
const UNKNOWN_KEY = 1
const INTERNAL = 3
const NOTHING_TO_SAVE = 4
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

/** Carries out a signed command. The answer has the key first, then the error, as recorded. */
export async function runCommand ({ sessions, parts }: Parts, fields: Fields, { urlOf, sent }: CommandReply): Promise<object> {
  const { c: command, key } = fields
  const keyed = (error: number, more: object = {}) => ({ ...(key === undefined ? {} : { key }), error, ...more })

  if (command === 'version') return { error: OK, version: VERSION }
  if (command === 'license') return { error: OK, ...license(parts.documents.all()) }
  if (command === 'getForgottenList') return { error: OK, keys: [...parts.forgotten.keys()].sort() }
  if (typeof key !== 'string') return keyed(UNKNOWN_KEY)

  const document = parts.documents.get(key)
  switch (command) {
    case 'info': {
      if (document === undefined) return keyed(UNKNOWN_KEY)
      return keyed(OK, { users: await reportUsers(parts, document, fields) })
    }
    case 'forcesave': {
      if (document === undefined) return keyed(UNKNOWN_KEY)
      const savable = forceSavable(document)
      if (savable !== 'yes') return keyed(savable === 'failed before' ? INTERNAL : NOTHING_TO_SAVE)
      const { userdata } = fields
      // The answer means "started": the save itself follows.
      const options = { type: 'command', ...(typeof userdata === 'string' ? { userdata } : {}) } as const
      sessions.forceSave(document, options, { announced: sent })
        .catch(error => parts.log.error({ err: error, key }, 'force save failed'))
      return keyed(OK)
    }
    case 'drop': {
      const users = Array.isArray(fields.users) ? fields.users : undefined
      for (const participant of [...document?.participants.values() ?? []]) {
        if (users === undefined || users.includes(participant.userId)) participant.notify({ type: 'dropped' })
      }
      return keyed(OK)
    }
    case 'meta': {
      const { title } = (typeof fields.meta === 'object' && fields.meta !== null ? fields.meta : {}) as { title?: unknown }
      if (typeof fields.meta !== 'object' || fields.meta === null) return keyed(UNKNOWN_COMMAND)
      for (const participant of document?.participants.values() ?? []) {
        participant.notify({ type: 'renamed', title: String(title ?? '') })
      }
      return keyed(OK)
    }
    case 'getForgotten': {
      const file = parts.forgotten.get(key)
      return file === undefined ? keyed(UNKNOWN_KEY) : keyed(OK, { url: urlOf(key, file) })
    }
    case 'deleteForgotten': return keyed(parts.forgotten.delete(key) ? OK : UNKNOWN_KEY)
    default: return keyed(UNKNOWN_COMMAND)
  }
}

/** `info` tells the host who is there by a callback, and waits for its answer. */
async function reportUsers (parts: SessionParts, document: OpenDocument, { callback, userdata }: Fields): Promise<string[]> {
  const present = editors(document)
  const users = userIds(present)
  const url = typeof callback === 'string' ? callback : present.at(-1)?.callbackUrl ?? document.lastCallbackUrl
  const common = { key: document.key, userdata: typeof userdata === 'string' ? userdata : undefined }
  const isOpen = users.length > 0 || document.changes.length > 0
  if (url !== null && toUrl(url)) {
    await deliver(parts, url, isOpen ? { ...common, status: 1, users } : { ...common, status: 4 })
  }
  return users
}
