import { PassThrough, pipeline } from 'node:stream'
import t from 'tap'
import { Agent } from 'undici'
import { type HttpClient, undiciClient } from '../../lib/index.js'
import { httpClientConformance } from '../../lib/testing/index.js'

t.test('undiciClient() keeps the contract', async t => {
  let cases = 0
  await httpClientConformance({
    create () {
      cases++
      return undiciClient()
    },
    test: (name, run) => t.test(name, run)
  })
  t.ok(cases > 15)
})

t.test('undiciClient() over a dispatcher of the host keeps the contract, and leaves it open', async t => {
  const dispatcher = new Agent()
  t.teardown(() => dispatcher.destroy())
  await httpClientConformance({ create: () => undiciClient({ dispatcher }), test: (name, run) => t.test(name, run) })
  t.equal(undiciClient({ dispatcher }).close, undefined)
  t.equal(dispatcher.closed, false)
})

t.test('a client keeps the contract whose bodies have no error listener of their own', async t => {
  function create (): HttpClient {
    const { request, close } = undiciClient()
    return {
      async request (asked) {
        const response = await request(asked)
        return { ...response, body: pipeline(response.body, new PassThrough(), () => {}) }
      },
      close: async () => { await close?.() }
    }
  }
  await httpClientConformance({ create, test: (name, run) => t.test(name, run) })
})
