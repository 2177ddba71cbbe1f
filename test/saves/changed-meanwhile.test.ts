import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'

const OUTSIDE = 'changed from outside'

/** Somebody edits a document, and its save is being downloaded: half of it has come. */
async function startDownloading (t: Test, status: 2 | 6, options: EditingOptions = {}) {
  const saved: SavedEvent[] = []
  const asked = deferred()
  const release = deferred()
  const editing = await startEditing(t, {
    onSaved: event => { saved.push(event) },
    async serve (_request, response) {
      response.write('what was ')
      asked.resolve()
      await release.promise
      response.end('edited')
    },
    ...options
  })
  const { key, post, url, fileId, documentServer, others } = editing
  t.equal(await post({ key, status: 1 }), 0)
  const answer = post({ key, status, url, filetype: 'txt' })
  await asked.promise
  return {
    ...editing,
    saved,
    write: async (text: string) => await others.write(fileId, 'txt', text),
    remove: async () => await others.remove(fileId, 'txt'),
    finish: async () => {
      release.resolve()
      return await answer
    },
    fetches: () => documentServer.requests.filter(path => path.startsWith('/cache')).length
  }
}

type Downloading = Awaited<ReturnType<typeof startDownloading>>

for (const status of [2, 6] as const) {
  const changes: Record<string, (editing: Downloading) => Promise<unknown>> = {
    'is written to': ({ write }) => write(OUTSIDE),
    'is replaced by another program': ({ others, fileId }) => others.replace(fileId, 'txt', OUTSIDE),
    'is replaced through the storage': ({ storage, fileId }) => storage.replace(fileId, Buffer.from(OUTSIDE)),
    'is removed and made again': async ({ write, remove }) => {
      await remove()
      await write(OUTSIDE)
    }
  }
  for (const [what, change] of Object.entries(changes)) {
    t.test(`a file that ${what} while its save (${status}) is fetched: both contents are kept, the save is fetched once`, async t => {
      const editing = await startDownloading(t, status)
      await change(editing)
      t.equal(await editing.finish(), 0)
      t.equal(await editing.storedText(editing.fileId), OUTSIDE)
      t.match(editing.saved, [{ status, conflict: { reason: 'changed' } }])
      t.equal(await editing.storedText(editing.saved[0]!.stored.fileId), 'what was edited')
      t.equal(editing.fetches(), 1)
    })
  }

  t.test(`a file removed while its save (${status}) is fetched stays removed, and the document server keeps the save`, async t => {
    for (const remove of [({ remove }: Downloading) => remove(), ({ storage, fileId }: Downloading) => storage.remove(fileId)]) {
      await t.test(async t => {
        const editing = await startDownloading(t, status)
        await remove(editing)
        t.equal(await editing.finish(), 1)
        t.equal(await editing.storedText(editing.fileId), null)
        t.strictSame(await editing.listing(), [], 'no copy, no temp file')
        t.strictSame(editing.saved, [])
      })
    }
  })
}
