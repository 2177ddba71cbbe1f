import t from 'tap'
import { NEW, OLD, startEditing } from '../kit/editing.js'

t.test('a doc saved as docx is stored as docx under the same fileId', async t => {
  const saved: string[] = []
  const editing = await startEditing(t, { fileType: 'doc', onSaved: event => { saved.push(event.stored.fileType) } })
  const { fileId } = editing
  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'DOCX' }), 0)
  t.match(await editing.storage.stat(fileId), { fileId, fileType: 'docx', size: NEW.length })
  t.equal(await editing.storedText(fileId), NEW)
  t.strictSame(saved, ['docx'])
  t.strictSame(await editing.listing(), [`${fileId}.docx`])

  const control = await editing.app.editorControl().openDocument(fileId)
  t.match(control.config?.document, { fileType: 'docx', title: `${fileId}.docx` })
  t.equal(
    (await editing.downloadAsDocumentServer(fileId)).headers.get('content-type'),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  )
})

t.test('a failed save in another format leaves the file under its name', async t => {
  const editing = await startEditing(t, {
    fileType: 'doc',
    serve: (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('cut', () => response.destroy())
    }
  })
  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'docx' }), 1)
  t.match(await editing.storage.stat(editing.fileId), { fileType: 'doc', size: OLD.length })
  await editing.unchanged(t, 'failed')
})

t.test('without a valid filetype the format stays', async t => {
  const editing = await startEditing(t, { fileType: 'docx', policies: { formatChange: 'follow' } })
  const { key, documentServer: { origin, requests } } = editing
  for (const [index, filetype] of [
    undefined,
    null,
    '',
    ' ',
    '.xlsx',
    '../xlsx',
    'x/y',
    'x\0',
    'a'.repeat(17),
    5,
    ['xlsx'],
    'php',
    'PHP',
    'exe',
    'js',
    'zip'
  ].entries()) {
    t.equal(await editing.post({ key, status: 6, url: `${origin}/${index}`, filetype }), 0)
    t.equal(requests.at(-1), `/${index}`, 'it is stored')
    t.equal((await editing.storage.stat(editing.fileId))?.fileType, 'docx', JSON.stringify(filetype))
  }
})

t.test('policies.formatChange overrides the profile', async t => {
  const editing = await startEditing(t, { fileType: 'doc', policies: { formatChange: 'ignore' } })
  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'docx' }), 0)
  t.equal((await editing.storage.stat(editing.fileId))?.fileType, 'doc')
})
