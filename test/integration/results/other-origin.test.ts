import t from 'tap'
import { answerWith, startUpstream } from '../../kit/http.js'
import { expectRescue, startService } from '../../kit/sessions.js'

t.test('an authentic callback that names another origin is refused without a request there, and the edit is not lost (secure)', async t => {
  const elsewhere = await startUpstream(t, answerWith('from elsewhere'))
  const service = await startService(t)
  const session = await service.open()
  await session.edit('what was edited')
  service.documentServer.fault('callback', { type: 'origin', origin: elsewhere.origin })
  t.match(await session.close(), { status: 2, answer: { error: 1 } })
  t.strictSame(elsewhere.requests, [])
  await expectRescue(t, service, session, 'what was edited')
})

t.test('results are fetched from an origin in documentServer.origins (secure)', async t => {
  const elsewhere = await startUpstream(t, answerWith('from elsewhere'))
  const { documentServer, open, stored } = await startService(t, { documentServer: { origins: [elsewhere.origin] } })
  const session = await open()
  await session.edit('what was edited')
  documentServer.fault('callback', { type: 'origin', origin: elsewhere.origin })
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'from elsewhere')
})

t.test('results are fetched from any origin (classic)', async t => {
  const elsewhere = await startUpstream(t, answerWith('from elsewhere'))
  const { documentServer, open, stored } = await startService(t, { profile: 'classic' })
  const session = await open()
  await session.edit('what was edited')
  documentServer.fault('callback', { type: 'origin', origin: elsewhere.origin })
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'from elsewhere')
})
