import t, { type Test } from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { fakeClock } from 'onlyoffice-emulator'
import { profiles } from '../kit/editing.js'
import { answerWith, startUpstream } from '../kit/http.js'
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

for (const profile of profiles) {
  t.test(`the stored document becomes a PDF; after a save the PDF has the new content (${profile})`, async t => {
    const { control, open, app, fileId } = await startConverting(t, { profile })
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

  t.test(`a slow conversion is requested maxAttempts times, then abandoned; a later call gets its result (${profile})`, async t => {
    const clock = fakeClock()
    const { documentServer, control, asked } = await startConverting(t, { profile, clock })
    documentServer.fault('conversion', { type: 'slow', ms: 60_000 })
    await t.rejects(control.convertToPdf({ maxAttempts: 3, delayMs: 1 }), { code: 'FST_EDITOR_CONVERSION_TIMEOUT' })
    t.equal(asked(), 3)
    await clock.advance(60_000)
    t.equal(await textOf(await control.convertToPdf({ maxAttempts: 1 })), OLD)
    t.equal(asked(), 4)
    t.equal(documentServer.sentRequests.filter(({ method }) => method === 'GET').length, 1, 'the source was fetched once')
  })
}

t.test('a conversion error rejects with its code, and no further request follows', async t => {
  const { documentServer, app } = await startConverting(t)
  for (let error = -1; error >= -10; error--) {
    const control = app.editorControl()
    await control.setDocumentFromBytes(Buffer.from(OLD), 'Notes.txt')
    documentServer.fault('conversion', { type: 'error', error })
    const before = documentServer.receivedRequests.length
    await t.rejects(control.convertToPdf(PATIENT), { code: 'FST_EDITOR_CONVERSION_FAILED', message: new RegExp(`error ${error} \\(`) })
    const answers = documentServer.receivedRequests.slice(before).map(({ answer }) => answer)
    t.strictSame(answers.filter(answer => JSON.stringify(answer).includes('error')), [{ error }])
  }
})

t.test('after an error the next call converts anew; only -3 persists for this content', async t => {
  const { documentServer, control, open, app, fileId } = await startConverting(t)
  documentServer.fault('conversion', { type: 'error', error: -4 })
  await t.rejects(control.convertToPdf(PATIENT), /error -4 /)
  t.equal(await textOf(await control.convertToPdf(PATIENT)), OLD)
  const session = await open()
  await session.edit('another content')
  await session.close()
  const next = await app.editorControl().openDocument(fileId)
  documentServer.fault('conversion', { type: 'error', error: -3 })
  await t.rejects(next.convertToPdf(PATIENT), /error -3 /)
  await t.rejects(next.convertToPdf(PATIENT), /error -3 /)
})

t.test('a converted file that arrives damaged rejects with a typed error, and the next call gets it', async t => {
  const { documentServer, control } = await startConverting(t, { timeouts: { headers: 150, idle: 150 } })
  for (const [fault, code] of [
    [{ type: 'stall', afterBytes: 10 }, 'FST_EDITOR_UPSTREAM_TIMEOUT'],
    [{ type: 'stall' }, 'FST_EDITOR_UPSTREAM_TIMEOUT'],
    [{ type: 'reset', afterBytes: 10 }, 'FST_EDITOR_UPSTREAM'],
    [{ type: 'length', by: 1 }, 'FST_EDITOR_UPSTREAM'],
    [{ type: 'html' }, 'FST_EDITOR_CONVERSION_FAILED'],
    [{ type: 'html', status: 404 }, 'FST_EDITOR_UPSTREAM']
  ] as const) {
    documentServer.fault('file', fault)
    await t.rejects(control.convertToPdf(PATIENT), { code }, JSON.stringify(fault))
    t.match((await control.convertToPdf(PATIENT)).toString('latin1'), /^%PDF-.*%%EOF/s)
  }
})

t.test('an invalid answer of the conversion service rejects with a typed error', async t => {
  const { documentServer, control } = await startConverting(t, { timeouts: { headers: 150, idle: 150 } })
  for (const [fault, code] of [
    [{ type: 'stall' }, 'FST_EDITOR_UPSTREAM_TIMEOUT'],
    [{ type: 'reset', afterBytes: 3 }, 'FST_EDITOR_UPSTREAM'],
    [{ type: 'html' }, 'FST_EDITOR_CONVERSION_FAILED'],
    [{ type: 'answer', status: 503, body: 'busy' }, 'FST_EDITOR_UPSTREAM']
  ] as const) {
    documentServer.fault('converter', fault)
    await t.rejects(control.convertToPdf(PATIENT), { code }, JSON.stringify(fault))
  }
})

for (const profile of profiles) {
  t.test(`a converted file at another origin is ${profile === 'secure' ? 'refused without a request there' : 'fetched, as specified'} (${profile})`, async t => {
    const elsewhere = await startUpstream(t, answerWith('%PDF-1.7 from elsewhere'))
    const { documentServer, control } = await startConverting(t, { profile })
    documentServer.fault('converter', { type: 'origin', origin: elsewhere.origin }, { times: Infinity })
    const converting = control.convertToPdf(PATIENT)
    if (profile === 'secure') await t.rejects(converting, { code: 'FST_EDITOR_ADDRESS_BLOCKED' })
    else t.match((await converting).toString(), 'from elsewhere')
    t.equal(elsewhere.requests.length, profile === 'secure' ? 0 : 1)
  })
}
