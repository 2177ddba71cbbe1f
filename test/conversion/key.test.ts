import t from 'tap'
import type { EditorControl } from '../../lib/index.js'
import { ready, startConversionService } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'

t.test('the document server caches results by key, so the conversion\'s key names the content and not the editing session', async t => {
  const service = await startConversionService(t, ready, (request, response) => { response.end(request.url === '/saved' ? 'force saved' : '%PDF-1.7') })
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const convert = async (fileId: string): Promise<{ key: unknown, documentKey: string }> => {
    const control = await host.app.editorControl().openDocument(fileId)
    await control.convertToPdf()
    return { key: service.conversions.pop()!.body.key, documentKey: control.documentKey }
  }
  const { fileId } = await host.storage.create('txt', Buffer.from('one'))
  const first = await convert(fileId)
  t.equal((await convert(fileId)).key, first.key, 'the same content')
  t.not(first.key, first.documentKey, 'not the key under which it is edited')
  t.match(first.key, /^[0-9A-Za-z._=-]{1,128}$/)

  await host.postSignedCallback(fileId, { key: first.documentKey, status: 1, users: ['7'] })
  t.strictSame(await convert(fileId), first, 'a session alone changes nothing')
  const saved = await host.postSignedCallback(fileId, { key: first.documentKey, status: 6, url: `${service.origin}/saved`, forcesavetype: 1 })
  t.equal(saved.body, '{"error":0}')
  t.equal(await host.storedText(fileId), 'force saved')
  const after = await convert(fileId)
  t.equal(after.documentKey, first.documentKey, 'the session\'s key stays')
  t.not(after.key, first.key, 'the content is another')
})

t.test('different files have different keys, and an open control converts what is currently stored', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const keys = new Set<unknown>()
  for (const name of ['a.docx', 'b.docx', 'c.xlsx']) {
    const control = host.app.editorControl()
    const { fileId } = await control.uploadDocument(Buffer.from('the same'), name)
    await control.convertToPdf()
    await host.storage.replace(fileId, Buffer.from('changed'))
    await control.convertToPdf()
    for (const { body } of service.conversions.splice(0)) keys.add(body.key)
  }
  t.equal(keys.size, 6)
})

t.test('a document at a URL of the application is identified by its key and URL', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const ways: ReadonlyArray<(control: EditorControl) => Promise<Buffer>> = [
    async control => await control.convertToPdf(),
    async control => await (await control.convert({ outputType: 'pdf' })).bytes()
  ]
  for (const convert of ways) {
    const keyOf = async (documentKey: string, documentUrl: string) => {
      await convert(Object.assign(host.app.editorControl(), { documentName: 'x.odt', documentKey, documentUrl }))
      const { key, url, filetype } = service.conversions.pop()!.body
      t.strictSame([url, filetype], [documentUrl, 'odt'])
      return key
    }
    const key = await keyOf('k1', 'https://files.example/1')
    t.equal(await keyOf('k1', 'https://files.example/1'), key)
    t.not(await keyOf('k2', 'https://files.example/1'), key)
    t.not(await keyOf('k1', 'https://files.example/2'), key)
  }
})
