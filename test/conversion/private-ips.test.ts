import t from 'tap'
import { PDF, ready, startConversionService } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'
import { answerWith, startUpstream } from '../kit/http.js'

t.test('a conversion by a document server on a private IP address works, whatever else is allowed', async t => {
  const service = await startConversionService(t, ready)
  for (const options of [{}, { proxy: { allow: 'any' } }, { documentServer: { origins: 'any' } }] as const) {
    const host = await startHost(t, { documentServerOrigin: service.origin, ...options })
    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from('content'), 'a.docx')
    t.ok((await control.convertToPdf()).equals(PDF), JSON.stringify(options))
  }
})

t.test('where any origin is allowed, a result at a non-public IP address is refused without a connection', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  const service = await startConversionService(t, (response, attempt) => ready(response, attempt, inside.origin))
  const host = await startHost(t, { documentServerOrigin: service.origin, documentServer: { origins: 'any' } })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  await t.rejects(control.convertToPdf(), { code: 'FST_EDITOR_ADDRESS_BLOCKED' })
  t.equal(inside.connections(), 0)
})
