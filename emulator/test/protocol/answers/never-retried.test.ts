import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('statuses 1, 4, 6 and 7 are sent once, whatever the answer', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  for (const status of [1, 4, 6, 7]) host.answers[status] = { status: 503, body: '' }
  const session = await server.open(host.config('K'))
  await session.edit('one')
  t.match(await session.forceSave(), { status: 6, httpStatus: 503, accepted: false })
  server.fault('assembly', { type: 'fail' })
  await session.edit('two')
  t.match(await session.forceSave(), { status: 7, httpStatus: 503, accepted: false })
  await session.close()
  t.match(await (await server.open(host.config('L'))).close(), { status: 4, httpStatus: 503, accepted: false })
  t.strictSame(host.statuses(), [1, 6, 7, 2, 1, 4])
})
