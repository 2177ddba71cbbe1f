import assert from 'node:assert/strict'
import type { HttpClient } from '../../../types/http.js'
import { bytesOf, type ConformanceCase, send } from './case.js'

async function assertBlocked (client: HttpClient, url: URL): Promise<void> {
  const outcome = await send(client, url, { publicOnly: true }).then(({ status }) => `status ${status}`, (error: NodeJS.ErrnoException) => error.code)
  assert.equal(outcome, 'FST_EDITOR_ADDRESS_BLOCKED', `a request to ${url} with publicOnly must reject with an error with code FST_EDITOR_ADDRESS_BLOCKED`)
}

export const publicOnlyCases: readonly ConformanceCase[] = [
  {
    name: 'publicOnly refuses loopback IP addresses and hosts that resolve to one, with FST_EDITOR_ADDRESS_BLOCKED and without connecting',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end('reached') })
      const { port } = server.url()
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) await assertBlocked(client, new URL(`http://${host}:${port}/`))
      assert.equal(server.connections(), 0, 'the client must not connect to the server')
    }
  },
  {
    name: 'without publicOnly a loopback IP address is reached, and requests with publicOnly are still refused afterwards',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end('reached') })
      const { body } = await send(client, server.url(), { publicOnly: false })
      assert.equal((await bytesOf(body)).toString(), 'reached', 'a request without publicOnly must reach the server')
      await assertBlocked(client, server.url())
      assert.equal(server.requests.length, 1, 'the server must receive only the request without publicOnly')
    }
  }
]
