import type { Test } from 'tap'
import { type FakeHost, startBoth } from '../support.js'
import type { DocumentServer, DocumentServerOptions } from '../../lib/index.js'

export interface Answer {
  readonly status: number
  readonly body: any
}

/** A document server with a fake host, and what drives it by HTTP. */
export interface Driven {
  readonly host: FakeHost
  readonly server: DocumentServer
  get (path: string): Promise<Answer>
  post (path: string, fields?: object): Promise<Answer>
  postBytes (path: string, bytes: Uint8Array): Promise<Answer>
  remove (path: string): Promise<Answer>
  /** Path of a new session. */
  open (key: string, changes?: Parameters<FakeHost['config']>[1]): Promise<string>
}

export async function startDriven (t: Test, options: Partial<DocumentServerOptions> = {}): Promise<Driven> {
  const { host, server } = await startBoth(t, { remoteControl: true, ...options })

  async function ask (path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${server.url}/emulator${path}`, init)
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, body: isJson ? await response.json() : Buffer.from(await response.arrayBuffer()) }
  }
  const post = async (path: string, fields: object = {}) =>
    await ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) })

  return {
    host,
    server,
    post,
    get: async path => await ask(path),
    remove: async path => await ask(path, { method: 'DELETE' }),
    postBytes: async (path, bytes) =>
      await ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: Uint8Array.from(bytes)
      }),
    async open (key, changes) {
      const { status, body } = await post('/sessions', { config: host.config(key, changes) })
      t.equal(status, 201)
      return `/sessions/${body.id}`
    }
  }
}
