import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { startEditing } from '../kit/editing.js'

const OUTSIDE = 'changed from outside'

/** A session of a file that was changed from outside, whose first save is in a conflict copy. */
async function startConflict (t: Test) {
  const saved: SavedEvent[] = []
  const editing = await startEditing(t, { policies: { conflict: 'keep-both' }, serve: (request, response) => response.end(request.url), onSaved: event => { saved.push(event) } })
  const { fileId, key, post, openedKey, documentServer: { origin }, storedText, others } = editing
  const save = async (key: string, status: 2 | 6, path: string, id = fileId) => await post({ key, status, url: `${origin}/${path}` }, id)

  async function changeFromOutside (id: string, text: string): Promise<void> {
    await others.write(id, 'txt', text)
  }

  t.equal(await post({ key, status: 1 }), 0)
  await changeFromOutside(fileId, OUTSIDE)
  t.equal(await save(key, 6, 'first'), 0)
  const copyId = saved[0]!.stored.fileId
  t.equal(await storedText(copyId), '/first')
  return {
    ...editing,
    saved,
    save,
    copyId,
    copyKey: await openedKey(copyId),
    changeFromOutside,
    /** What is in which file. */
    expectCopies: async (...copies: ReadonlyArray<readonly [id: string, text: string]>) => {
      t.equal(await storedText(fileId), OUTSIDE)
      for (const [id, text] of copies) t.equal(await storedText(id), text)
    },
    /** Where the session's last save went. */
    lastCopy: () => saved.findLast(event => event.fileId === fileId)!.stored.fileId
  }
}

t.test('changes saved in a conflict copy survive the next save of the session that created it', async t => {
  const { key, copyId, copyKey, post, save, expectCopies, lastCopy } = await startConflict(t)
  t.equal(await post({ key: copyKey, status: 1 }, copyId), 0)
  t.equal(await save(copyKey, 2, 'hours', copyId), 0)
  t.equal(await save(key, 6, 'second'), 0)
  const another = lastCopy()
  t.not(another, copyId)
  await expectCopies([copyId, '/hours'], [another, '/second'])
  t.equal(await save(key, 2, 'third'), 0)
  t.equal(lastCopy(), another, 'which belongs to the session from then on')
  await expectCopies([copyId, '/hours'], [another, '/third'])
})

t.test('changes another program made to a conflict copy survive the next save of the session that created it', async t => {
  const { key, copyId, save, changeFromOutside, expectCopies, lastCopy } = await startConflict(t)
  await changeFromOutside(copyId, 'by another program')
  t.equal(await save(key, 2, 'second'), 0)
  await expectCopies([copyId, 'by another program'], [lastCopy(), '/second'])
})

t.test('an editor of a conflict copy saves into it, whatever the session that created it saves', async t => {
  const { key, copyId, copyKey, post, save, saved, expectCopies, lastCopy } = await startConflict(t)
  t.equal(await post({ key: copyKey, status: 1 }, copyId), 0)
  t.equal(await save(key, 2, 'second'), 0)
  await expectCopies([copyId, '/first'], [lastCopy(), '/second'])
  t.equal(await save(copyKey, 2, 'edited', copyId), 0)
  await expectCopies([copyId, '/edited'])
  t.notOk(saved.at(-1)!.conflict)
})

t.test('a session that the document server has lost and begun anew does not replace the copy of what was lost', async t => {
  const { key, copyId, post, expectCopies, lastCopy, documentServer: { origin } } = await startConflict(t)
  t.equal(await post({ key, status: 6, lastsave: '2026-11-20T16:00:00.000Z', url: `${origin}/lost` }), 0)
  await expectCopies([copyId, '/lost'])
  const changes = [{ documentSha256: 'c55a', created: '2026-11-20 16:00:10', user: { id: 'u1', name: 'John' } }]
  const history = { serverVersion: '9.3.0', changes }
  t.equal(await post({ key, status: 2, lastsave: '2026-11-20T16:00:20.000Z', history, url: `${origin}/anew` }), 0)
  t.not(lastCopy(), copyId)
  await expectCopies([copyId, '/lost'], [lastCopy(), '/anew'])
})
