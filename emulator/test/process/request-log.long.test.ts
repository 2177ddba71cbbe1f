import t from 'tap'
import { startBoth } from '../support.js'

const LIMITS = { entries: 3, bodyBytes: 2000 }

t.test('with a limit the logs keep only the latest requests', async t => {
  const { host, server } = await startBoth(t, { requestLog: LIMITS })
  for (const key of ['K1', 'K2', 'K3']) await (await server.open(host.config(key))).close()
  for (const path of ['/1', '/2', '/3', '/healthcheck']) await fetch(`${server.url}${path}`)
  t.match(server.sentRequests.map(({ method, body }) => [method, body?.status]), [['POST', 1], ['GET', undefined], ['POST', 4]], 'those of K3')
  t.same(server.receivedRequests.map(({ url }) => url), ['/2', '/3', '/healthcheck'])
  t.match([await server.nextCallback(), await server.nextCallback(), await server.nextCallback()], [
    { body: { key: 'K2', status: 4 } },
    { body: { key: 'K3', status: 1 } },
    { body: { key: 'K3', status: 4 } }
  ])
})

t.test('with a limit large bodies are not kept, and a large callback is still found', async t => {
  const { host, server } = await startBoth(t, { requestLog: LIMITS })
  const session = await server.open(host.config('K'))
  t.equal(server.sentRequests.find(({ method }) => method === 'GET')?.answer?.body, null, 'the document')
  await session.edit('changed')
  await session.forceSave({ userdata: 'x'.repeat(3000) })
  t.same((await server.nextCallback(6)).body, { key: 'K', status: 6 })
  t.equal(host.callbacks(6)[0]!.userdata, 'x'.repeat(3000), 'the application received all of it')
  await session.forceSave()
  await session.close()
  const [saved] = host.callbacks(2)
  await fetch(String(saved!.url))
  await fetch(`${server.url}/command`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ c: 'x'.repeat(3000) }) })
  t.same(server.receivedRequests.map(({ body, answer }) => [body, answer]), [[null, null], [null, { error: 6 }]])
})
