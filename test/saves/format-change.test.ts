import t from 'tap'
import { NEW, OLD, profiles, startEditing } from '../kit/editing.js'

for (const memory of [false, true]) {
  const where = memory ? 'memory' : 'files'

  t.test(`a doc saved as docx is stored as docx under the same fileId, ${where} (secure)`, async t => {
    const saved: string[] = []
    const editing = await startEditing(t, { memory, extension: 'doc', onSaved: event => { saved.push(event.extension) } })
    const { fileId } = editing
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'DOCX' }), 0)
    t.match(await editing.storage.stat(fileId), { fileId, extension: 'docx', size: NEW.length })
    t.equal(await editing.storedText(fileId), NEW)
    t.strictSame(saved, ['docx'])
    if (!memory) t.strictSame(await editing.listing(), [`${fileId}.docx`])

    const control = await editing.app.editorControl().openDocument(fileId)
    t.match(control.config?.document, { fileType: 'docx', title: `${fileId}.docx` })
    t.equal(
      (await editing.downloadAsDocumentServer(fileId)).headers.get('content-type'),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    )
  })

  t.test(`the filetype the document server announces is ignored, ${where} (classic)`, async t => {
    const editing = await startEditing(t, { profile: 'classic', memory, extension: 'doc' })
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'docx' }), 0)
    t.match(await editing.storage.stat(editing.fileId), { extension: 'doc', size: NEW.length })
    t.equal(await editing.storedText(editing.fileId), NEW)
    if (!memory) t.strictSame(await editing.listing(), [`${editing.fileId}.doc`])
  })

  t.test(`a failed save in another format leaves the file under its name, ${where} (secure)`, async t => {
    const editing = await startEditing(t, {
      memory,
      extension: 'doc',
      serve: (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('cut', () => response.destroy())
      }
    })
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'docx' }), 1)
    t.match(await editing.storage.stat(editing.fileId), { extension: 'doc', size: OLD.length })
    await editing.unchanged(t, 'failed')
  })
}

for (const profile of profiles) {
  t.test(`without a valid filetype the format stays (${profile})`, async t => {
    const editing = await startEditing(t, { profile, extension: 'docx', policies: { formatChange: 'follow' } })
    const { key, documentServer: { origin, requests } } = editing
    for (
      const [index, filetype] of [
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
      ].entries()
    ) {
      t.equal(await editing.post({ key, status: 6, url: `${origin}/${index}`, filetype }), 0)
      t.equal(requests.at(-1), `/${index}`, 'it is stored')
      t.equal((await editing.storage.stat(editing.fileId))?.extension, 'docx', JSON.stringify(filetype))
    }
  })

  t.test(`policies.formatChange overrides the profile (${profile})`, async t => {
    const editing = await startEditing(t, { profile, extension: 'doc', policies: { formatChange: profile === 'secure' ? 'ignore' : 'follow' } })
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url, filetype: 'docx' }), 0)
    t.equal((await editing.storage.stat(editing.fileId))?.extension, profile === 'secure' ? 'doc' : 'docx')
  })
}
