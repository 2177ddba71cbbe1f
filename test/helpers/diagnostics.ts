import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Test } from 'tap'
import type { DiagnosticsMessages } from '../../lib/index.js'
import { SECRET } from '../kit/host.js'

type Channel = keyof DiagnosticsMessages extends `fastify-onlyoffice:${infer Name}` ? Name : never
type MessageOf<Name extends Channel> = DiagnosticsMessages[`fastify-onlyoffice:${Name}`]

export interface Collected<Message> {
  readonly messages: Message[]
  /** Waits until there are so many, and fails if there are more. */
  until (count: number): Promise<Message[]>
}

/** What no message may contain: URLs, tokens and queries, secrets, users of the tests. */
const CONFIDENTIAL = new RegExp(`://|\\?|eyJhbGci|${SECRET}|"(ada|u1|Ada)"`)

/** Subscribes to a channel until the test ends, and checks what all its messages have in common. */
export function collect<Name extends Channel> (t: Test, name: Name): Collected<MessageOf<Name>> {
  const channel = `fastify-onlyoffice:${name}`
  const messages: Array<MessageOf<Name>> = []
  let arrived = () => {}

  function take (message: unknown): void {
    messages.push(message as MessageOf<Name>)
    const { durationMs = 0 } = message as { durationMs?: unknown }
    t.ok(typeof durationMs === 'number' && durationMs >= 0 && durationMs < 600_000, `${name} took ${durationMs} ms`)
    t.notMatch(JSON.stringify(message), CONFIDENTIAL)
    t.notOk(Object.values(message as object).includes(undefined), 'no field is undefined')
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
