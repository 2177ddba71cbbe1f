import t from 'tap'
import { SECRET } from '../../kit/document-server.js'
import { expectRescue, OLD, startService, PATIENT } from '../../kit/sessions.js'

const NEW_SECRET = 'the-secret-after-the-change-0123456789'

t.test('the secret is changed at the document server only: nothing is stored, and nothing is lost once the application has it too', async t => {
  const service = await startService(t, { jwtSecret: SECRET })
  const session = await service.open()
  await session.edit('what was edited')
  service.documentServer.changeSecret(NEW_SECRET)
  t.match(await session.close(), { status: 2, answer: { error: 1 } })
  await t.rejects(service.open(), { code: 4006 }, 'the host\'s configurations are refused')
  service.documentServer.changeSecret(SECRET)
  await expectRescue(t, service, session, 'what was edited')
})

t.test('an application with both secrets loses no save while the secret is changed', async t => {
  const { documentServer, open, stored } = await startService(t, { jwtSecret: [SECRET, NEW_SECRET] })
  const session = await open()
  await session.edit('before the change')
  await session.forceSave()
  documentServer.changeSecret([NEW_SECRET, SECRET])
  const ben = await open({ user: { id: 'ben', name: 'Ben' } })
  await ben.edit('after the change')
  t.match(await session.close(), { status: 1, accepted: true })
  t.match(await ben.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'after the change')
})

for (const seconds of [-30, 30]) {
  t.test(`a document server whose clock is ${seconds} s off opens, saves and converts`, async t => {
    const { app, documentServer, fileId, open, stored } = await startService(t)
    documentServer.skewTokens(seconds * 1000)
    const session = await open()
    t.equal(String(await session.content()), OLD)
    await session.edit('what was edited')
    t.match(await session.forceSave(), { status: 6, accepted: true })
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'what was edited')
    const control = await app.editorControl().openDocument(fileId)
    t.match((await control.convertToPdf(PATIENT)).subarray(0, 5).toString(), '%PDF-')
  })
}

for (const signedUrls of [true, false]) {
  t.test(`a document server whose clock is seven minutes slow: its tokens have expired, nothing is stored, nothing is lost, ${signedUrls ? 'signed' : 'plain'} URLs`, async t => {
    const service = await startService(t, { signedUrls })
    const session = await service.open()
    await session.edit('what was edited')
    service.documentServer.skewTokens(-7 * 60_000)
    t.match(await session.close(), { status: 2, answer: { error: 1 } })
    const control = await service.app.editorControl().openDocument(service.fileId)
    if (signedUrls) t.match((await control.convertToPdf(PATIENT)).subarray(0, 5).toString(), '%PDF-', 'the signature allows the download')
    else await t.rejects(control.convertToPdf(PATIENT), { code: 'FST_EDITOR_CONVERSION_FAILED' }, 'the source can\'t be downloaded')
    service.documentServer.skewTokens(0)
    await expectRescue(t, service, session, 'what was edited')
  })
}

t.test('a document server whose clock is two minutes fast: its callbacks are refused, nothing is stored, nothing is lost', async t => {
  const service = await startService(t)
  const session = await service.open()
  await session.edit('what was edited')
  service.documentServer.skewTokens(2 * 60_000)
  t.match(await session.close(), { status: 2, answer: { error: 1 } })
  service.documentServer.skewTokens(0)
  await expectRescue(t, service, session, 'what was edited')
})

t.test('a document server that sends its token in another header is supported', async t => {
  const header = { authorizationHeader: 'AuthorizationJwt', authorizationPrefix: 'Token ' }
  const { open, stored } = await startService(t, { documentServer: header, emulated: header })
  const session = await open()
  t.equal(String(await session.content()), OLD, 'the download is allowed')
  await session.edit('what was edited')
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'what was edited')
})
