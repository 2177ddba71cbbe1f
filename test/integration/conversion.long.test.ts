import t, { type Test } from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { fakeClock } from 'onlyoffice-emulator'
import { OLD, startService, type ServiceOptions, PATIENT } from '../kit/sessions.js'

async function startConverting (t: Test, options: ServiceOptions = {}) {
  const service = await startService(t, options)
  const control = await service.app.editorControl().openDocument(service.fileId)
  const asked = () => service.documentServer.receivedRequests.filter(({ url }) => url.startsWith('/ConvertService.ashx')).length
  return { ...service, control, asked }
}

async function textOf (pdf: Uint8Array): Promise<string> {
  return (await extractText(await getDocumentProxy(Uint8Array.from(pdf)), { mergePages: true })).text.trim()
}

t.test('the stored document becomes a PDF; after a save the PDF has the new content', async t => {
  const { control, open, app, fileId } = await startConverting(t)
  t.equal(await textOf(await control.convertToPdf(PATIENT)), OLD)
  const session = await open()
  await session.edit('forced')
  await session.forceSave()
  t.equal(await textOf(await control.convertToPdf(PATIENT)), 'forced', 'although the key is that of the session')
  await session.edit('finished')
  await session.close()
  const next = await app.editorControl().openDocument(fileId)
  t.equal(await textOf(await next.convertToPdf(PATIENT)), 'finished')
})

t.test('a slow conversion is requested maxAttempts times, then abandoned; a later call gets its result', async t => {
  const clock = fakeClock()
  const { documentServer, control, asked } = await startConverting(t, { clock })
  documentServer.fault('conversion', { type: 'slow', ms: 60_000 })
  await t.rejects(control.convertToPdf({ maxAttempts: 3, delayMs: 1 }), { code: 'FST_EDITOR_CONVERSION_TIMEOUT' })
  t.equal(asked(), 3)
  await clock.advance(60_000)
  t.equal(await textOf(await control.convertToPdf({ maxAttempts: 1 })), OLD)
  t.equal(asked(), 4)
  t.equal(documentServer.sentRequests.filter(({ method }) => method === 'GET').length, 1, 'the source was fetched once')
})
