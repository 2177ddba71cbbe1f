import t from 'tap'
import { getDocumentProxy } from 'unpdf'
import type { FormSubmittedEvent } from '../../lib/index.js'
import { startBrowser, startPages, statuses } from '../kit/browser.js'

const browser = await startBrowser(t)
const skip = browser.missing

t.test('a person fills in a copy of a form and submits it: the application gets the answers, and the form stays empty', { skip }, async t => {
  const events: FormSubmittedEvent[] = []
  const files: Buffer[] = []
  let refusals = 1
  const service = await startPages(t, browser, {
    defaults: { permissions: { edit: false, fillForms: true } },
    async onFormSubmitted (event) {
      if (refusals-- > 0) throw new Error('database away')
      events.push(event)
      const chunks: Uint8Array[] = []
      for await (const chunk of event.pdf) chunks.push(chunk)
      files.push(Buffer.concat(chunks))
    },
    render: { events: ['onSubmit'] }
  })
  const form = await service.store('leave-request.pdf')
  const empty = await bytesOf(form)
  const { fileId: copy } = await service.app.editorControl().createDocument({ from: form, title: 'Leave request.pdf' })
  const ada = await service.open(copy)
  const grace = await service.open(copy, { user: 'Grace Hopper' })
  const frame = ada.page.frameLocator('iframe')
  await ada.page.evaluate("globalThis.submitted = 0; document.addEventListener('editorsubmit', () => { submitted++ })")

  await frame.getByLabel('Name').fill('Zażółć')
  await frame.getByLabel('From').fill('1 June')
  await frame.getByLabel('Kind').selectOption('Training')
  await frame.getByLabel('yes').check()
  await frame.getByLabel('Agreed').check()
  await grace.page.frameLocator('iframe').getByLabel('Agreed').and(grace.page.frameLocator('iframe').locator(':checked')).waitFor()
  t.equal(await grace.page.frameLocator('iframe').getByLabel('Name').inputValue(), 'Zażółć', 'others see it')
  await frame.getByLabel('Remarks').fill('typed last')
  // What the editor tells it shows for some seconds only.
  for (const told of ['The application refused the form. Submit it again.', 'The form was submitted']) {
    await Promise.all([frame.getByText(told).waitFor(), ada.button('Complete & Submit').click()])
  }
  await ada.page.waitForFunction(() => (globalThis as unknown as { submitted: number }).submitted > 0)
  t.equal(await ada.page.evaluate('submitted'), 1)

  const { data, fileType, fileId, user } = events[0]!
  t.match({ fileType, fileId, user }, { fileType: 'pdf', fileId: copy, user: { id: 'ada' } })
  t.strictSame(Object.fromEntries(data.map(({ key, value }) => [key, value])), {
    Name: 'Zażółć', From: '1 June', To: '', Kind: 'Training', Paid: 'yes', Agreed: true, Remarks: 'typed last'
  })
  t.equal(events.length, 1)
  t.match(files[0]!.subarray(0, 5).toString(), '%PDF-')
  t.ok(files[0]!.length > empty.length)
  t.ok((await bytesOf(copy)).equals(empty), 'what is submitted is not a save')
  await ada.page.close()
  await grace.page.close()
  await service.documentServer.nextCallback(2)
  t.strictSame(statuses(service).filter(status => status !== 1), [6, 6, 2])
  t.match(await fieldsOf(await bytesOf(copy)), { Name: [{ value: 'Zażółć' }], Remarks: [{ value: 'typed last' }] }, 'the copy keeps what was filled in')
  t.equal(await fieldsOf(files[0]!), null, 'what is submitted has no fields any more')
  t.ok((await bytesOf(form)).equals(empty), 'the form itself stays as it was')

  const viewer = await service.open(form, { mode: 'view' })
  await viewer.editor.locator('.pdf').waitFor()
  t.equal(await viewer.button('Complete & Submit').count(), 0)

  async function bytesOf (id: string): Promise<Buffer> {
    return Buffer.concat(await (await service.storage.read(id))!.body.toArray())
  }
})

async function fieldsOf (pdf: Uint8Array): Promise<object | null> {
  return await (await getDocumentProxy(Uint8Array.from(pdf))).getFieldObjects()
}
