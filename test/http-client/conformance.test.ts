import { PassThrough, pipeline } from 'node:stream'
import t from 'tap'
import { Agent, DecoratorHandler } from 'undici'
import { type HttpClient, undiciClient } from '../../lib/index.js'
import { httpClientConformance } from '../../lib/testing/index.js'

t.test('undiciClient() passes the conformance suite', async t => {
  let cases = 0
  await httpClientConformance({
    create () {
      cases++
      return { client: undiciClient() }
    },
    test: (name, run) => t.test(name, run)
  })
  t.ok(cases > 15)
})

t.test('undiciClient() over the application\'s dispatcher passes the conformance suite and leaves the dispatcher open', async t => {
  const dispatcher = new Agent()
  t.teardown(() => dispatcher.destroy())
  await httpClientConformance({ create: () => ({ client: undiciClient({ dispatcher }) }), test: (name, run) => t.test(name, run) })
  t.equal(undiciClient({ dispatcher }).close, undefined)
  t.equal(dispatcher.closed, false)
})

t.test('undiciClient() over a dispatcher with an interceptor passes the conformance suite', async t => {
  const dispatcher = new Agent().compose(dispatch => (request, handler) => dispatch(request, new DecoratorHandler(handler)))
  t.teardown(() => dispatcher.destroy())
  await httpClientConformance({ create: () => ({ client: undiciClient({ dispatcher }) }), test: (name, run) => t.test(name, run) })
})

t.test('a client whose bodies have no error listener of their own passes the conformance suite', async t => {
  function withPipeline ({ request, close }: HttpClient): HttpClient {
    return {
      async request (asked) {
        const response = await request(asked)
        return { ...response, body: pipeline(response.body, new PassThrough(), () => {}) }
      },
      close: async () => { await close?.() }
    }
  }
  await httpClientConformance({ create: () => ({ client: withPipeline(undiciClient()) }), test: (name, run) => t.test(name, run) })
})
