import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { directoryOf, NEW, OLD, startEditing } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { documentsIn } from '../kit/storage.js'

/** A doc with siblings of the same stem that are other documents. It counts, because it is what the record says. */
async function startAmong (t: Test, siblings: Readonly<Record<string, string>>) {
  const saved: SavedEvent[] = []
  const editing = await startEditing(t, {
    fileType: 'doc',
    serve: (request, response) => response.end(packageOf(`at ${request.url}`)),
    onSaved: event => {
      saved.push(event)
    }
  })
  const { fileId } = editing
  const directory = directoryOf(t)
  const pathOf = (fileType: string) => join(directory, `${fileId}.${fileType}`)
  for (const [fileType, text] of Object.entries(siblings)) await writeFile(pathOf(fileType), text)
  return {
    ...editing,
    saved,
    directory,
    key: await editing.openedKey(),
    textOf: async (fileType: string) => await readFile(pathOf(fileType), 'utf8').catch(() => null)
  }
}

t.test('a doc saved as docx next to an unrelated docx becomes a separate file: nothing is replaced or removed', async t => {
  const { key, post, documentServer: { origin }, textOf, saved, storedText, storage, openedKey, fileId } = await startAmong(t, { docx: 'an unrelated docx' })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 6, url: `${origin}/1`, filetype: 'docx' }), 0)
  t.strictSame([await textOf('doc'), await textOf('docx')], [OLD, 'an unrelated docx'])
  t.match(saved, [{ fileId, status: 6, stored: { fileType: 'docx' }, conflict: { reason: 'format' } }])
  const copyId = saved[0]!.stored.fileId
  t.match(await storage.stat(copyId), { fileType: 'docx' })

  t.equal(await openedKey(), key, 'the session goes on')
  t.equal(await post({ key, status: 2, url: `${origin}/2`, filetype: 'docx' }), 0)
  t.equal(saved[1]!.stored.fileId, copyId, 'all saves of the session are in one file')
  t.equal(await storedText(copyId), packageOf('at /2'))
  t.strictSame([await textOf('doc'), await textOf('docx')], [OLD, 'an unrelated docx'])
})

t.test('a save in an unknown format is stored under the existing fileType and leaves every sibling unchanged', async t => {
  const { key, post, documentServer: { origin }, textOf, saved } = await startAmong(t, { pdf: 'a pdf', ODT: 'an odt in capitals' })
  // Storages of one process share the extensions they have seen: this one is in no other test.
  t.equal(await post({ key, status: 2, url: `${origin}/1`, filetype: 'neverlearned' }), 0)
  t.strictSame([await textOf('doc'), await textOf('pdf'), await textOf('ODT')], [packageOf('at /1'), 'a pdf', 'an odt in capitals'])
  t.match(saved, [{ stored: { fileType: 'doc' }, conflict: undefined }])
})

t.test('a save in another format replaces its own file only', async t => {
  const { key, post, documentServer: { origin }, textOf, saved, storedText, fileId, directory } = await startAmong(t, { pdf: 'a pdf' })
  t.equal(await post({ key, status: 2, url: `${origin}/1`, filetype: 'docx' }), 0)
  t.strictSame([await textOf('doc'), await textOf('pdf')], [null, 'a pdf'])
  t.match(saved, [{ stored: { fileType: 'docx' }, conflict: undefined }])
  t.equal(await storedText(fileId), packageOf('at /1'))
  t.strictSame(await documentsIn(directory), [`${fileId}.docx`, `${fileId}.pdf`])
})

t.test('a docx that another program renames while its save is fetched gets the fileType of the save: no docx is stored as an odt', async t => {
  const saved: SavedEvent[] = []
  const { fileId, key, post, url, storedText, storage } = await startEditing(t, {
    fileType: 'docx',
    onSaved: event => { saved.push(event) },
    async serve (_request, response) {
      await rename(join(directoryOf(t), `${fileId}.docx`), join(directoryOf(t), `${fileId}.odt`))
      response.end(NEW)
    }
  })
  t.equal(await post({ key, status: 2, url, filetype: 'docx' }), 0)
  t.match(await storage.stat(fileId), { fileType: 'docx' })
  t.equal(await storedText(fileId), NEW)
  t.strictSame(await documentsIn(directoryOf(t)), [`${fileId}.docx`])
  t.match(saved, [{ fileId, stored: { fileType: 'docx' }, conflict: undefined }])
})
