import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'

const MINUTE = 60_000
/** As many sessions as are remembered of a file. */
const MANY = 8

/** A file in memory; a document server whose saved files have their path as content. */
async function startPages (t: Test, options: EditingOptions = {}) {
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

t.test('of many open sessions the one that was reported longest ago is dropped', async t => {
  const { clock, key, tell, openedKey } = await startPages(t)
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

t.test('many sessions do not displace the key of a refused save: an editor opens it and its changes are saved', async t => {
  const { clock, key, tell, openedKey, post } = await startPages(t)
  await tell(key, 1)
  t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
  clock.jump(MINUTE)
  for (let number = 0; number <= MANY; number++) await tell(`${key}.${number}`, 1)
  t.equal(await openedKey(), key)
})

t.test('a page that reopens a key whose session ended without changes does not overwrite what was changed meanwhile', async t => {
  const { fileId, key, tell, save, changeFromOutside, openedKey, storedText, saved } = await startPages(t)
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
  t.match(saved.at(-1)!.conflict, { reason: 'changed' })
  t.equal(await storedText(saved.at(-1)!.stored.fileId), '/outdated')
})
