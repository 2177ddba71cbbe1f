import type { FastifyBaseLogger } from 'fastify'
import type { ServerCommand, ServerCommandResult } from '../../types/document-server.js'
import type { SignalOptions } from '../../types/conversions.js'
import { CommandFailedError, InvalidKeyError, InvalidOptionError, UpstreamError } from '../errors.js'
import { isJsonObject, parseJson } from '../util/text.js'
import { assertValue, isString, listOf, rule, unknownOption } from '../util/validate.js'
import type { DocumentServerClient } from './client.js'

/**
 * The state of a key at the document server: users who edit, only unsaved changes or viewers, only a forgotten file, or
 * nothing.
 */
type Knowledge = 'edited' | 'known' | 'forgotten' | 'unknown'

/** The answer codes that callers act on. Source: emulator/docs/document-server-protocol.md#commands */
export const COMMAND_CODE = {
  unknownKey: 1,
  callback: 2,
  internal: 3,
  nothingToSave: 4,
  unknownCommand: 5,
  invalidToken: 6,
  expiredToken: 7
} as const

const explanations: ReadonlyMap<number, string> = new Map([
  [COMMAND_CODE.unknownKey, 'it does not know the document key'],
  [COMMAND_CODE.callback, 'it has no usable callback URL for the document'],
  [COMMAND_CODE.internal, 'it failed, see its log; for forcesave: it could not assemble the same changes before'],
  [COMMAND_CODE.nothingToSave, 'there is nothing new to save, or a save of the same changes has not finished'],
  [COMMAND_CODE.unknownCommand, 'it does not know the command'],
  [COMMAND_CODE.invalidToken, 'it rejects our token: jwtSecret must be its services.CoAuthoring.secret.inbox.string'],
  [COMMAND_CODE.expiredToken, 'our token has expired: compare the clocks']
])

export const UserIds = rule('must be a list of user IDs, which are strings', listOf(isString))

/** The fields of each command. They are checked because a misspelled `users` of `drop` would mean everybody. */
const fields: Readonly<Record<ServerCommand['c'], object>> = {
  version: { c: true },
  license: { c: true },
  info: { c: true, key: true, userdata: true },
  forcesave: { c: true, key: true, userdata: true },
  drop: { c: true, key: true, users: true },
  meta: { c: true, key: true, meta: true },
  getForgottenList: { c: true },
  getForgotten: { c: true, key: true },
  deleteForgotten: { c: true, key: true }
}

/** Whether signed data with this `c` are a command to the document server, which also knows `saved`. */
export function isCommandName (c: unknown): boolean {
  return typeof c === 'string' && (c === 'saved' || Object.hasOwn(fields, c))
}

/** A page waits for the answer. */
const TIMEOUT_MS = 10_000

/** These commands may wait for the application's answer to a callback, as long as the document server does. */
const WAITING_COMMANDS: ReadonlySet<string> = new Set(['info', 'forcesave'])
const WAITING_TIMEOUT_MS = 10 * 60_000

/** Commands that only read: they can be repeated. */
const ASKING_COMMANDS: ReadonlySet<string> = new Set(['version', 'license', 'info', 'getForgottenList', 'getForgotten'])

/** Maximum size of an answer that names all forgotten files: enough for more than 100,000. */
const MAX_LIST_BYTES = 16 * 1024 * 1024

/**
 * The document server documents this maximum length, although longer keys have been seen to work. The key of a
 * forgotten file is the name of its folder.
 */
const KEY = /^(?!\.{1,2}$)[0-9A-Za-z._=-]{1,128}$/

/**
 * The title that the editors of a frozen document show before they are closed. A `drop` raises no event in their pages,
 * a `meta` does. The page's module recognizes this title (lib/browser/create-editor.js), and asks for the reason.
 * Source: emulator/docs/document-server-protocol.md#its-order-and-its-effects
 */
const FROZEN_TITLE = '\u{1F512}'

export function frozenNotice (key: string): ServerCommand {
  return { c: 'meta', key, meta: { title: FROZEN_TITLE } }
}

/** The document server's command service. */
export type Commands = ReturnType<typeof createCommands>

export function createCommands (client: DocumentServerClient, log: FastifyBaseLogger) {
  return { send, lookUp }

  /**
   * Sends a command. Rejects with `InvalidKeyError` for an empty or malformed key, `CommandFailedError`, or as
   * `Outbound` does.
   */
  async function send<C extends ServerCommand> (
    given: C, { signal }: SignalOptions = {}
  ): Promise<ServerCommandResult<C>> {
    const command = checkedCommand(given)
    const total = WAITING_COMMANDS.has(command.c) ? WAITING_TIMEOUT_MS : TIMEOUT_MS
    const { error, ...result } = await request(command, total, signal)
    if (error === 0) return result as ServerCommandResult<C>
    const reason = `error ${error} (${explanations.get(error) ?? 'unknown'})`
    throw new CommandFailedError(command.c, reason, { serverCode: error })
  }

  /**
   * Asks what the document server has under a key: users, unsaved changes or a forgotten file. Resolves to `undefined`,
   * and logs why, if it gives no usable answer. Never call it where a callback of that key waits for the caller: the
   * document server posts one before it answers. Source: emulator/docs/document-server-protocol.md#commands
   */
  async function lookUp (key: string): Promise<Knowledge | undefined> {
    const knowledge = await ask('info', key)
    if (knowledge !== 'unknown') return knowledge
    const kept = await ask('getForgotten', key)
    return kept === 'known' ? 'forgotten' : kept
  }

  async function ask (c: 'info' | 'getForgotten', key: string): Promise<Knowledge | undefined> {
    try {
      const { error, users } = await request({ c, key }, TIMEOUT_MS)
      if (error === 0) return Array.isArray(users) && users.length > 0 ? 'edited' : 'known'
      if (error === COMMAND_CODE.unknownKey) return 'unknown'
      log.warn(
        { command: c, code: error },
        `the document server's command service gave no usable answer: ${explanations.get(error) ?? 'unknown error'}`
      )
    } catch (err) {
      log.warn(
        { command: c, err },
        'the document server\'s command service could not be reached, or something else answered: is there a document server at editorApiUrl?'
      )
    }
    return undefined
  }

  async function request (
    command: ServerCommand, total: number, signal?: AbortSignal
  ): Promise<{ readonly error: number, readonly users?: unknown }> {
    const text = await client.post('command', command, {
      signal,
      total,
      isRepeatable: ASKING_COMMANDS.has(command.c),
      ...('key' in command ? { shardKey: command.key } : { limit: MAX_LIST_BYTES })
    })
    const answer = parseJson(text)
    if (!isJsonObject(answer) || typeof answer.error !== 'number') {
      throw new UpstreamError('the command service\'s answer is not from a document server', { retryable: false })
    }
    return { ...answer, error: answer.error }
  }
}

/**
 * A copy of the command as it will be sent. With inherited properties, getters or `toJSON`, a command could be sent
 * with another key than the one that was checked. Throws `InvalidOptionError` or `InvalidKeyError`.
 */
export function checkedCommand<C extends ServerCommand> (given: C): C {
  const command = asSent(given)
  if (!isJsonObject(command) || typeof command.c !== 'string') {
    throw new InvalidOptionError('command', 'must be an object whose c is the name of the command')
  }
  const known = Object.hasOwn(fields, command.c) ? fields[command.c as ServerCommand['c']] : undefined
  if (!known || 'key' in known || 'key' in command) assertKey(command.key)
  if (!known) throw new InvalidOptionError('c', `must be ${Object.keys(fields).join(', ')}`)
  for (const name of Object.keys(command)) if (!Object.hasOwn(known, name)) throw unknownOption(name, known)
  // Without users the document server addresses everybody, which includes `null`, `0`, and values that JSON leaves out,
  // such as functions.
  const { users = (given as { readonly users?: unknown }).users } = command
  if (command.c === 'drop' && users !== undefined) assertValue('users', users, UserIds)
  return command as unknown as C
}

function asSent (command: unknown): unknown {
  try {
    return parseJson(JSON.stringify(command))
  } catch {
    return undefined
  }
}

/** Throws `InvalidKeyError`. Source: emulator/docs/document-server-protocol.md#forgotten-files */
function assertKey (key: unknown): asserts key is string {
  if (key === '' || key === undefined || key === null) {
    throw new InvalidKeyError('is empty, which the document server takes as all documents')
  }
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new InvalidKeyError('must be 1 to 128 characters of 0-9 A-Z a-z . _ = -')
  }
}

/** Resolves to `null` if the document server does not know the key of a command. */
export async function unlessKeyUnknown<Result> (command: Promise<Result>): Promise<Result | null> {
  return await command.catch(error => {
    if (isAnswer(error, COMMAND_CODE.unknownKey)) return null
    throw error
  })
}

export function isAnswer (error: unknown, code: number): boolean {
  return error instanceof CommandFailedError && error.serverCode === code
}
