import assert from 'node:assert/strict'
import { bytesOf, type ConformanceCase, get } from './case.js'

export const addressCases: readonly ConformanceCase[] = [
  {
    name: 'publicOnly refuses a loopback address and a name that resolves to one, with FST_EDITOR_ADDRESS_BLOCKED and without connecting',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end('reached') })
      const { port } = server.url()
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
        const url = new URL(`http://${host}:${port}/`)
        const outcome = await get(client, url, { publicOnly: true }).then(({ status }) => `status ${status}`, (error: NodeJS.ErrnoException) => error.code)
        assert.equal(outcome, 'FST_EDITOR_ADDRESS_BLOCKED', `${url}`)
      }
      assert.equal(server.connections(), 0, 'nobody connected')
    }
  },
  {
    name: 'a request that is not publicOnly reaches a loopback address, and opens no way there for one that is',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end('reached') })
      const { body } = await get(client, server.url(), { publicOnly: false })
      assert.equal((await bytesOf(body)).toString(), 'reached')
      const outcome = await get(client, server.url(), { publicOnly: true }).then(({ status }) => `status ${status}`, (error: NodeJS.ErrnoException) => error.code)
      assert.equal(outcome, 'FST_EDITOR_ADDRESS_BLOCKED')
      assert.equal(server.requests.length, 1)
    }
  }
]
