import assert from 'node:assert/strict'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { assertBodyFails, assertRejects, type ConformanceCase, get, soon } from './case.js'

export const endingCases: readonly ConformanceCase[] = [
  {
    name: 'a signal that is aborted already: the request rejects and is not sent',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end() })
      await assertRejects(get(client, server.url(), { signal: AbortSignal.abort(new Error('too late')) }), 'the signal is aborted')
      assert.deepEqual(server.requests, [])
    }
  },
  {
    name: 'a signal aborted while the headers are awaited: the request rejects and its connection closes',
    async run ({ client, serve }) {
      let arrived = () => {}
      const arrival = new Promise<void>(resolve => { arrived = resolve })
      const server = await serve(() => arrived())
      const controller = new AbortController()
      const response = client.request({ purpose: 'callback', method: 'GET', url: server.url(), signal: controller.signal })
      response.catch(() => {}) // looked at below
      await soon(arrival, 'the request arrives')
      controller.abort(new Error('the deadline'))
      await assertRejects(response, 'the signal is aborted')
      await soon(server.allClosed(), 'the connection closes')
    }
  },
  ...[{ encoding: 'identity', first: Buffer.alloc(1000, 'x') }, { encoding: 'gzip', first: gzipSync(Buffer.alloc(200_000, 'x')).subarray(0, 150) }].map(({ encoding, first }) => ({
    name: `a signal aborted during the body (${encoding}): the body errors and its connection closes`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(first)
      })
      const controller = new AbortController()
      const { body } = await get(client, server.url(), { signal: controller.signal })
      await soon(once(body, 'data'), 'the first bytes')
      controller.abort(new Error('the deadline'))
      await assertBodyFails(body, 'the signal is aborted')
      await soon(server.allClosed(), 'the connection closes')
    }
  } satisfies ConformanceCase)),
  ...['identity', 'gzip'].map(encoding => ({
    name: `a destroyed body (${encoding}) ends the request and closes its connection`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(gzipSync('begun').subarray(0, 12))
      })
      const { body } = await get(client, server.url())
      body.on('error', () => {})
      body.destroy()
      await soon(server.allClosed(), 'the connection closes')
    }
  } satisfies ConformanceCase))
]
