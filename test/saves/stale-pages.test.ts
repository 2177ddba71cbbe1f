import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, profiles, startEditing } from '../kit/editing.js'

const MINUTE = 60_000
/** As many sessions as are remembered of a file. */
const MANY = 8

/** A file in memory; a document server whose saved files have their path as content. */
async function startPages (t: Test, options: EditingOptions) {
  const saved: SavedEvent[] = []
  const clock = fakeClock()
  const editing = await startEditing(t, {
    memory: true,
    clock,
    policies: { conflict: 'keep-both' },
    // it knows every session
    serve: (request, response) => response.end(request.method === 'POST' ? '{"error":0}' : request.url),
    onSaved: event => { saved.push(event) },
    ...options
  })
  const { fileId, openedKey, post, storage, documentServer: { origin } } = editing
  let changes = 0
  async function changeFromOutside (): Promise<void> {
    await storage.replace(fileId, Buffer.from(`changed from outside ${++changes}`))
  }
  return {
    ...editing,
    clock,
    saved,
    changeFromOutside,
    tell: async (key: string, status: 1 | 4) => t.equal(await post({ key, status }), 0),
    save: async (key: string, status: 2 | 6, path: string) => t.equal(await post({ key, status, url: `${origin}/${path}` }), 0),
    /** Keys of pages that were rendered before the file was changed, oldest first. */
    async stalePages (count: number): Promise<string[]> {
      const keys: string[] = []
      while (keys.length < count) {
        keys.push(await openedKey())
        await changeFromOutside()
      }
      return keys
    }
  }
}

for (const profile of profiles) {
  t.test(`many old pages that are reopened do not split a session: later editors join it, and its save is in the file (${profile})`, async t => {
    const { fileId, stalePages, tell, openedKey, save, storedText, saved } = await startPages(t, { profile })
    const old = await stalePages(MANY)
    for (const key of old) await tell(key, 1)
    const key = await openedKey()
    await tell(key, 1)
    await save(key, 6, 'force')
    t.equal(await openedKey(), key, 'the second editor joins the same session')
    for (const one of old) await tell(one, 1)
    t.equal(await openedKey(), key, 'the old pages do not displace it afterwards either')
    await save(key, 2, 'finished')
    t.equal(await storedText(fileId), '/finished')
    t.strictSame(saved.map(({ conflict }) => conflict), [undefined, undefined])
  })

  t.test(`of many open sessions the one that was reported longest ago is dropped (${profile})`, async t => {
    const { clock, key, tell, openedKey } = await startPages(t, { profile })
    const keys = Array.from({ length: MANY + 1 }, (_, number) => `${key}.${number}`)
    for (const one of keys.slice(0, MANY)) {
      await tell(one, 1)
      clock.jump(MINUTE)
    }
    await tell(keys[0]!, 1)
    await tell(keys[MANY]!, 1)
    for (const one of keys.toSpliced(1, 1)) {
      t.equal(await openedKey(), one)
      await tell(one, 4)
    }
    t.equal(await openedKey(), key)
  })

  t.test(`many sessions do not displace the key of a refused save: an editor opens it and its changes are saved (${profile})`, async t => {
    const { clock, key, tell, openedKey, post } = await startPages(t, { profile })
    await tell(key, 1)
    t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
    clock.jump(MINUTE)
    for (let number = 0; number <= MANY; number++) await tell(`${key}.${number}`, 1)
    t.equal(await openedKey(), key)
  })

  t.test(`many sessions do not spread the saves of an old page over many files (${profile})`, async t => {
    const { key, tell, openedKey, save, saved, changeFromOutside } = await startPages(t, { profile })
    await changeFromOutside()
    const current = await openedKey()
    for (let number = 0; number < MANY; number++) await tell(`${current}.${number}`, 1)
    await tell(key, 1)
    for (const path of ['first', 'second', 'third']) await save(key, 6, path)
    t.equal(saved.length, 3)
    t.equal(new Set(saved.map(({ conflictFileId }) => conflictFileId)).size, 1)
  })

  t.test(`a page that reopens a key whose session ended without changes does not overwrite what was changed meanwhile (${profile})`, async t => {
    const { fileId, key, tell, save, changeFromOutside, openedKey, storedText, saved } = await startPages(t, { profile })
    await tell(key, 1)
    await save(key, 2, 'finished')
    // The document server has forgotten the key: it downloads what is stored, and keeps that when nothing is changed.
    await tell(key, 1)
    t.equal(await openedKey(), key)
    await tell(key, 4)
    await changeFromOutside()
    const current = await openedKey()
    await tell(key, 1)
    t.equal(await openedKey(), current, 'nobody else gets the key of content that is not in the file')
    await save(key, 2, 'outdated')
    t.equal(await storedText(fileId), 'changed from outside 1')
    t.equal(saved.at(-1)!.conflict, true)
    t.equal(await storedText(saved.at(-1)!.conflictFileId!), '/outdated')
  })
}
