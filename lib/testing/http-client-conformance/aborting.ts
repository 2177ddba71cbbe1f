import assert from 'node:assert/strict'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { assertBodyFails, assertRejects, type ConformanceCase, inTime, send } from './case.js'

export const abortingCases: readonly ConformanceCase[] = [
  {
    name: 'with an aborted signal, request rejects and sends nothing',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end() })
      await assertRejects(send(client, server.url(), { signal: AbortSignal.abort(new Error('aborted before the request')) }), 'the signal is aborted')
      assert.deepEqual(server.requests, [], 'the server must not receive a request')
    }
  },
  {
    name: 'aborting before the headers arrive makes request reject and closes its connection',
    async run ({ client, serve }) {
      let onRequest = () => {}
      const requestReceived = new Promise<void>(resolve => { onRequest = resolve })
      const server = await serve(() => onRequest())
      const controller = new AbortController()
      const response = client.request({ purpose: 'callback', method: 'GET', url: server.url(), signal: controller.signal })
      response.catch(() => {}) // asserted below
      await inTime(requestReceived, 'the arrival of the request')
      controller.abort(new Error('aborted before the headers'))
      await assertRejects(response, 'the signal is aborted')
      await inTime(server.allClosed(), 'the close of the connection')
    }
  },
  ...[{ encoding: 'identity', first: Buffer.alloc(1000, 'x') }, { encoding: 'gzip', first: gzipSync(Buffer.alloc(200_000, 'x')).subarray(0, 150) }].map(({ encoding, first }) => ({
    name: `aborting during the body makes it fail and closes its connection (${encoding})`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(first)
      })
      const controller = new AbortController()
      const { body } = await send(client, server.url(), { signal: controller.signal })
      await inTime(once(body, 'data'), 'the first chunk of the body')
      controller.abort(new Error('aborted during the body'))
      await assertBodyFails(body, 'the signal is aborted')
      await inTime(server.allClosed(), 'the close of the connection')
    }
  } satisfies ConformanceCase)),
  ...['identity', 'gzip'].map(encoding => ({
    name: `destroying the body closes its connection (${encoding})`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(gzipSync('the beginning').subarray(0, 12))
      })
      const { body } = await send(client, server.url())
      body.on('error', () => {})
      body.destroy()
      await inTime(server.allClosed(), 'the close of the connection')
    }
  } satisfies ConformanceCase))
]
