import { zipSync } from 'fflate'
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { memoryStorage, type SavedEvent } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { damagesOf, flipped } from '../kit/packages.js'

// Saves that arrive in full and are damaged inside: by a cache or a disk between the document server and here.

const document = (name: string) => readFileSync(new URL(`../fixtures/documents/${name}`, import.meta.url))
const DOCUMENTS = { docx: 'report.docx', xlsx: 'orders.xlsx', pptx: 'deck.pptx', odt: 'report.odt' } as const
const OTHER = document('handbook.docx')

/** A service whose document server answers the first request for a file with the first of `answers`, and so on. */
async function startSaving (t: Test, fileType: string, options: EditingOptions = {}) {
  const answers: Buffer[] = []
  const editing = await startEditing(t, {
    memory: true,
    fileType,
    saveRetries: 1,
    serve: (_request, response) => response.end(answers.shift() ?? Buffer.from('no more')),
    ...options
  })
  let saves = 0
  return {
    ...editing,
    /** Resolves to the answered error. The session goes on. */
    async save (...sent: Buffer[]) {
      answers.splice(0, Infinity, ...sent)
      const lastsave = new Date(Date.UTC(2026, 0, 1, 0, 0, ++saves)).toISOString()
      const url = editing.url.replace('_1/', `_${saves}/`)
      return await editing.post({ status: 6, url, filetype: fileType, lastsave, users: ['ada'] })
    },
    async stored () {
      const file = await editing.storage.read(editing.fileId)
      return Buffer.concat(await file!.body.toArray())
    }
  }
}

for (const [fileType, name] of Object.entries(DOCUMENTS)) {
  t.test(`a ${fileType} that is damaged on its way is refused, and the good file stays`, async t => {
    const good = document(name)
    const { save, stored } = await startSaving(t, fileType, { saveRetries: 0 })
    t.equal(await save(good), 0)
    for (const [what, damaged] of Object.entries(damagesOf(good, OTHER))) {
      t.equal(await save(damaged), 1, what)
      t.ok(good.equals(await stored()), what)
    }
  })
}

t.test('a file that arrives whole at the second attempt, or with a later callback, is stored', async t => {
  const saved: SavedEvent[] = []
  const failed: unknown[] = []
  const good = document('report.docx')
  const { save, stored, documentServer, post, url, key } = await startSaving(t, 'docx', {
    onSaved: event => { saved.push(event) },
    onSaveFailed: ({ code }) => { failed.push(code) }
  })
  const { 'zeros in its middle': damaged } = damagesOf(good, OTHER)
  t.equal(await save(damaged!, good), 0)
  t.equal(documentServer.requests.length, 2)
  t.ok(good.equals(await stored()))

  t.equal(await save(damaged!, damaged!), 1)
  t.strictSame(failed, ['FST_EDITOR_UPSTREAM'])
  t.equal(documentServer.requests.length, 4, 'fetched twice each time')
  t.equal(await save(OTHER), 0, 'the document server sends it again')
  t.ok(OTHER.equals(await stored()))
  t.equal(saved.length, 2)
  t.equal(await post({ key, status: 2, url, filetype: 'docx', lastsave: '2026-02-01T00:00:00.000Z' }), 1, 'the final save, too')
  t.ok(OTHER.equals(await stored()))
})

t.test('a storage may overwrite the pieces that it gets', async t => {
  const good = document('orders.xlsx')
  const memory = memoryStorage()
  const storage: DocumentStore = {
    ...memory,
    stage: async (fileId, content) =>
      await memory.stage(fileId, (async function * () {
        for await (const piece of content as AsyncIterable<Uint8Array>) {
          yield Buffer.from(piece)
          piece.fill(0)
        }
      })())
  }
  const { save, stored } = await startSaving(t, 'xlsx', { saveRetries: 0, storage })
  t.equal(await save(good), 0)
  t.ok(good.equals(await stored()))
})

t.test('the changes in a damaged archive are left out, and the save is stored', async t => {
  const good = document('report.docx')
  const changes = Buffer.from(zipSync({ 'changes0.json': Buffer.from('["one"]'.repeat(100)) }))
  const { post, url, stored, fileId, key, app } = await startSaving(t, 'docx', {
    memory: false,
    versions: {},
    serve ({ url = '' }, response) {
      response.end(url.includes('changes') ? flipped(changes, 400) : good)
    }
  })
  const changesurl = url.replaceAll('output.docx', 'changes.zip')
  const history = { serverVersion: '9.4.0', changes: [{ created: '2026-01-01 10:00:00', user: { id: 'ada', name: 'Ada' } }] }
  t.equal(await post({ key, status: 2, url, filetype: 'docx', changesurl, history }), 0)
  t.ok(good.equals(await stored()))
  const control = await app.editorControl().openDocument(fileId)
  const { currentVersion } = await control.history()
  t.notOk('changesUrl' in await control.historyData(currentVersion), url)
})
