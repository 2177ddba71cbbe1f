import t from 'tap'
import { answerWith, startUpstream } from '../../kit/http.js'
import { startService } from '../../kit/sessions.js'

t.test('of an authentic callback that names another origin, the true file is stored without a request there', async t => {
  const elsewhere = await startUpstream(t, answerWith('from elsewhere'))
  const { documentServer, open, stored } = await startService(t)
  const session = await open()
  await session.edit('what was edited')
  documentServer.fault('callback', { type: 'origin', origin: elsewhere.origin })
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(elsewhere.requests, [])
  t.equal(await stored(), 'what was edited')
})

t.test('results are fetched from an origin in documentServer.origins', async t => {
  const elsewhere = await startUpstream(t, answerWith('from elsewhere'))
  const { documentServer, open, stored } = await startService(t, { documentServer: { origins: [elsewhere.origin] } })
  const session = await open()
  await session.edit('what was edited')
  documentServer.fault('callback', { type: 'origin', origin: elsewhere.origin })
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'from elsewhere')
})
