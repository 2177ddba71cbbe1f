import t from 'tap'
import { Agent } from 'undici'
import { undiciClient } from '../../lib/index.js'
import { httpClientConformance } from '../../lib/conformance/index.js'

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
