// What a service tells: its log (`memoryLog`), which is also searched for secrets (`searchedLog`), and the messages
// on its diagnostics channels (`collect`).
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Writable } from 'node:stream'
import type { Test } from 'tap'
import type { DiagnosticsMessages } from '../../lib/index.js'
import { SECRET } from './document-server.js'

export interface LogRecord {
  readonly level: number
  readonly msg: string
  readonly fileId?: string
  readonly key?: string
  readonly err?: { readonly message: string, readonly code: string, readonly found?: Readonly<Record<string, unknown>> }
}

export const WARN = 40
export const ERROR = 50

/** Everything a service logs, at its most talkative. */
export function memoryLog () {
  const lines: string[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    }
  })
  return {
    server: { logger: { level: 'trace', stream } },
    records: () => lines.map(line => JSON.parse(line) as LogRecord),
    text: () => lines.join('')
  }
}

/** What must never be in a log, at any level. */
const CONFIDENTIAL: Readonly<Record<string, RegExp>> = {
  'a token': /(?<![\w-])eyJ(?:hbGci|0eXAi|[\w-]{6,}\.eyJ)/, // a document key may well have eyJ in it
  'a credential': /\bBearer\s+[\w.-]{8}/i,
  'a signature': /\b(?:signature|md5)=/i,
  'a query string': /\?[\w-]+=|[?&](?:action|fileId|url|expires)=/
}

/**
 * A logger at its most talkative. Whatever is logged until the test ends is searched for what must not be there, so
 * that every test of the handler, with whatever hostile input, is a test of the log.
 */
export function searchedLog (t: Test, secrets: readonly string[]) {
  const found: string[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      const line = String(chunk).replace(/"fileId":"(?:[^"\\]|\\.)*"/g, '') // may look like anything
      const names = Object.keys(CONFIDENTIAL).filter(name => CONFIDENTIAL[name]!.test(line))
      if (secrets.some(secret => line.includes(secret))) names.push('a secret')
      if (names.length > 0) found.push(`${names.join(', ')}: ${line}`)
      done()
    }
  })
  t.teardown(() => {
    if (found.length > 0) throw new Error(`the log contains ${found[0]}`)
  })
  return { level: 'trace', stream }
}

type Channel = keyof DiagnosticsMessages extends `fastify-onlyoffice:${infer Name}` ? Name : never
type MessageOf<Name extends Channel> = DiagnosticsMessages[`fastify-onlyoffice:${Name}`]

export interface Collected<Message> {
  readonly messages: Message[]
  /** Waits until there are so many, and fails if there are more. */
  until (count: number): Promise<Message[]>
}

/** What no message may contain: URLs, tokens and queries, secrets, users of the tests. */
const CONFIDENTIAL_IN_MESSAGES = new RegExp(`://|\\?|eyJhbGci|${SECRET}|"(ada|u1|Ada)"`)

/** What is wrong with a message: all that no message may have. */
function faultsOf (message: object): string[] {
  const { durationMs = 0 } = message as { durationMs?: unknown }
  const isPlausible = typeof durationMs === 'number' && durationMs >= 0 && durationMs < 600_000
  const [confidential] = CONFIDENTIAL_IN_MESSAGES.exec(JSON.stringify(message)) ?? []
  return [
    ...isPlausible ? [] : [`durationMs is ${durationMs}`],
    ...confidential === undefined ? [] : [`it contains ${confidential}`],
    ...Object.entries(message).flatMap(([field, value]) => value === undefined ? [`${field} is undefined`] : [])
  ]
}

/** Subscribes to a channel until the test ends, and checks what all its messages have in common. */
export function collect<Name extends Channel> (t: Test, name: Name): Collected<MessageOf<Name>> {
  const channel = `fastify-onlyoffice:${name}`
  const messages: Array<MessageOf<Name>> = []
  let arrived = () => {}

  function take (message: unknown): void {
    messages.push(message as MessageOf<Name>)
    t.strictSame(faultsOf(message as object), [], `a message of ${name}`)
    arrived()
  }
  subscribe(channel, take)
  t.teardown(() => unsubscribe(channel, take))

  return {
    messages,
    async until (count) {
      while (messages.length < count) await new Promise<void>(resolve => { arrived = resolve })
      t.equal(messages.length, count, `${count} messages of ${name}`)
      return messages
    }
  }
}
