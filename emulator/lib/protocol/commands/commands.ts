import { postPresence } from '../sessions/callbacks.js'
import type { OpenDocument } from '../sessions/open-document.js'
import { editors, userIds } from '../sessions/participants.js'
import type { ForgottenFile, Parts } from '../parts.js'
import type { Sessions } from '../sessions/sessions.js'
import { license } from './license.js'

// Source: docs/document-server-protocol.md#commands
const OK = 0
const UNKNOWN_KEY = 1
const CALLBACK = 2
const INTERNAL = 3
const UNKNOWN_COMMAND = 5

type Fields = Record<string, unknown>
type ForgottenFiles = Parts['forgotten']

/** How a command is answered. */
export interface CommandReply {
  /** The URL of a forgotten file. */
  urlOf (key: string, file: ForgottenFile): string
  /** Settles when the answer has been sent. A force save posts its callback afterwards. */
  readonly sent: Promise<unknown>
}

/** The fields of an answer, `key` before `error`. Source: recorded. */
export function answerFor (key: unknown, error: number, more: object = {}): object {
  return { ...(key === undefined ? {} : { key }), error, ...more }
}

/** Runs a command whose token has been verified. */
export async function runCommand (
  parts: Parts,
  sessions: Sessions,
  fields: Fields,
  { urlOf, sent }: CommandReply
): Promise<object> {
  const { c: command, key } = fields
  const { build } = parts
  const keyed = (error: number, more?: object) => answerFor(key, error, more)

  if (command === 'version') return keyed(OK, { version: `${build.version}.${build.number}` })
  if (command === 'license') return keyed(OK, license(build))
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
      const { code, result } = await sessions.forceSave(document, {
        type: 'command',
        userdata: fields.userdata,
        mayPost: sent
      })
      // The answer means "started": unless it repeats an earlier one, the save follows.
      result.catch(error => parts.log.error({ err: error, key }, 'force save failed'))
      return keyed(code)
    }
    case 'drop': return keyed(dropUsers(document, fields.users) ? OK : INTERNAL)
    case 'saved': {
      document?.savedCommand(fields.status)
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

/** `info` posts a presence callback and waits for its answer. Resolves to `null` when there is no callback URL. */
async function reportUsers (
  parts: Parts,
  document: OpenDocument,
  { callback, userdata }: Fields
): Promise<string[] | null> {
  const users = userIds(editors(document))
  const url = callback || document.lastCallbackUrl
  if (typeof url !== 'string') return null
  const common = { key: document.key, userdata: userdata || undefined }
  const isOpen = users.length > 0 || document.changes.length > 0
  await postPresence(parts, document, url, isOpen ? { ...common, status: 1, users } : { ...common, status: 4 })
  return users
}

/**
 * Drops the given users, or everybody without a list. The list may be JSON in a string; returns false when that is
 * malformed.
 */
function dropUsers (document: OpenDocument | undefined, given: unknown): boolean {
  const users = typeof given === 'string' && given !== '' ? parsed(given) : given
  if (users === MALFORMED) return false
  for (const participant of [...document?.participants.values() ?? []]) {
    if (!users || includesUser(users, participant.userId)) participant.notify({ type: 'dropped' })
  }
  return true
}

/** Shows editors the new title. Other metadata has no effect on them. */
function rename (document: OpenDocument | undefined, meta: unknown): void {
  const { title } = Object(meta) as { title?: unknown }
  if (typeof title !== 'string') return
  for (const participant of document?.participants.values() ?? []) participant.notify({ type: 'renamed', title })
}

/** A string matches every user id that it contains. Source: docs/document-server-protocol.md#drop-and-meta */
function includesUser (users: unknown, userId: string): boolean {
  return (Array.isArray(users) || typeof users === 'string') && users.includes(userId)
}

const MALFORMED = Symbol('malformed')

function parsed (json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return MALFORMED
  }
}

/** The forgotten file of a key. An empty key stands for the folder of all files: it returns the first of them. */
function findForgotten (files: ForgottenFiles, key: string): [key: string, file: ForgottenFile] | undefined {
  const found = key === '' ? [...files.keys()].sort()[0] : key
  const file = found === undefined ? undefined : files.get(found)
  return file === undefined ? undefined : [found!, file]
}

/** Deletes the forgotten file of a key; with an empty key, all of them. Returns false when there was none. */
function deleteForgotten (files: ForgottenFiles, key: string): boolean {
  if (key !== '') return files.delete(key)
  const any = files.size > 0
  files.clear()
  return any
}
