import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { memoryStorage, type SavedEvent, type Storage } from '../../lib/index.js'
import { directoryOf, type EditingOptions, profiles, startEditing } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { isOnS3, storageOf } from '../kit/storage.js'
import { holdTimers } from '../kit/time.js'

const FORCED = packageOf('saved by force')
const TIME = '2026-11-20T16:12:26.000Z'

/**
 * A session that was saved by force; its finished save, of which the document server says that nothing was modified, is
 * at `/finished`.
 */
async function startForced (t: Test, finished: string, options: EditingOptions) {
  const saved: SavedEvent[] = []
  const editing = await startEditing(t, {
    extension: 'docx',
    serve: (request, response) => response.end(request.url === '/finished' ? finished : FORCED),
    onSaved: event => { saved.push(event) },
    ...options
  })
  const { key, post, fileId, others, documentServer: { origin } } = editing
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 6, url: `${origin}/force`, lastsave: TIME, filetype: 'docx' }), 0)
  return {
    ...editing,
    saved,
    changeFromOutside: async () => await others.write(fileId, 'docx', 'changed from outside'),
    finish: async (fields: object = { notmodified: true }) =>
      await post({
        key,
        status: 2,
        url: `${origin}/finished`,
        lastsave: TIME,
        filetype: 'docx',
        users: ['u1'],
        ...fields
      }),
    written: async () => {
      const { revision, modifiedAt } = (await editing.storage.stat(fileId))!
      if (isOnS3) return { revision, modifiedAt }
      const { ino, mtimeNs, ctimeNs } = await stat(join(directoryOf(t), `${fileId}.docx`), { bigint: true })
      return { revision, ino, mtimeNs, ctimeNs }
    }
  }
}

for (const profile of profiles) {
  t.test(`notmodified with the bytes of the force save: nothing is written, the session has ended, onSaved is called (${profile})`, async t => {
    const { fileId, key, openedKey, storedText, listing, saved, finish, written, documentServer } = await startForced(t, FORCED, { profile })
    const before = { ...await written(), listing: await listing() }
    t.equal(await openedKey(), key)
    t.equal(await finish(), 0)
    t.strictSame({ ...await written(), listing: await listing() }, before)
    t.equal(await storedText(fileId), FORCED)
    t.match(saved.at(-1), { fileId, key, status: 2, extension: 'docx', size: FORCED.length, revision: before.revision, users: ['u1'] })
    const next = await openedKey()
    t.not(next, key)
    t.equal(await openedKey(), next)

    t.equal(await finish(), 0, 'a repeat')
    t.strictSame(documentServer.requests.filter(path => !path.startsWith('/coauthoring/')), ['/force', '/finished'])
    t.equal(saved.length, 2)
    t.equal(await openedKey(), next)
  })

  t.test(`notmodified with other bytes than those of the force save: they are stored (${profile})`, async t => {
    const other = packageOf('saved by hand!')
    const { fileId, key, openedKey, storedText, saved, finish } = await startForced(t, other, { profile })
    t.equal(other.length, FORCED.length)
    t.equal(await finish(), 0)
    t.equal(await storedText(fileId), other)
    t.match(saved.at(-1), { status: 2, conflict: undefined })
    t.not(await openedKey(), key)
  })

  t.test(`the same bytes without notmodified are written (${profile})`, async t => {
    for (const fields of [{ notmodified: false }, { notmodified: null }, {}]) {
      await t.test(JSON.stringify(fields), async t => {
        const { key, openedKey, finish, written } = await startForced(t, FORCED, { profile })
        const before = await written()
        t.equal(await finish(fields), 0)
        t.not((await written()).revision, before.revision)
        t.not(await openedKey(), key)
      })
    }
  })

  t.test(`notmodified in a force save has no effect (${profile})`, async t => {
    const { key, openedKey, finish, written } = await startForced(t, FORCED, { profile })
    const before = await written()
    t.equal(await finish({ status: 6, notmodified: true }), 0)
    t.not((await written()).revision, before.revision)
    t.equal(await openedKey(), key)
  })

  t.test(`notmodified after a change from outside is a conflict (${profile})`, async t => {
    const { fileId, key, openedKey, storedText, saved, finish, changeFromOutside } = await startForced(t, FORCED, { profile, policies: { conflict: 'keep-both' } })
    await changeFromOutside()
    t.equal(await finish(), 0)
    t.equal(await storedText(fileId), 'changed from outside')
    t.match(saved.at(-1), { status: 2, conflict: true })
    t.equal(await storedText(saved.at(-1)!.conflictFileId!), FORCED)
    t.not(await openedKey(), key)
  })

  t.test(`notmodified after a change from outside, policies.conflict overwrite: stored (${profile})`, async t => {
    const { fileId, storedText, saved, finish, changeFromOutside } = await startForced(t, FORCED, { profile, policies: { conflict: 'overwrite' } })
    await changeFromOutside()
    t.equal(await finish(), 0)
    t.equal(await storedText(fileId), FORCED)
    t.notOk(saved.at(-1)!.conflict)
  })

  t.test(`notmodified without the saved file: refused, the key stays (${profile})`, async t => {
    let broken = false
    const { key, openedKey, finish, written } = await startForced(t, FORCED, {
      profile,
      serve: (_request, response) => response.writeHead(broken ? 404 : 200).end(FORCED)
    })
    const before = await written()
    broken = true
    t.equal(await finish(), 1)
    t.equal(await openedKey(), key)
    broken = false
    t.equal(await finish(), 0)
    t.strictSame(await written(), before)
    t.not(await openedKey(), key)
  })

  t.test(`notmodified without an earlier force save: stored (${profile})`, async t => {
    const { fileId, key, openedKey, post, url, storedText } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 2, url, notmodified: true }), 0)
    t.match(await storedText(fileId), 'what the document server saved')
    t.not(await openedKey(), key)
  })
}

t.test('notmodified when the file is written again while it is compared: the event has the revision that is stored', async t => {
  const memory = memoryStorage()
  let isWrittenAgain = false
  const storage: Storage = {
    ...memory,
    async read (fileId, range) {
      if (isWrittenAgain) {
        isWrittenAgain = false
        await memory.replace(fileId, Buffer.from(FORCED))
      }
      return await memory.read(fileId, range)
    }
  }
  const saved: SavedEvent[] = []
  const { key, post, fileId, documentServer: { origin } } = await startEditing(t, {
    memory: true,
    extension: 'docx',
    storage,
    policies: { conflict: 'overwrite' },
    serve: (_request, response) => response.end(FORCED),
    onSaved: event => { saved.push(event) }
  })
  t.equal(await post({ key, status: 6, url: `${origin}/force`, lastsave: TIME }), 0)
  isWrittenAgain = true
  t.equal(await post({ key, status: 2, url: `${origin}/finished`, lastsave: TIME, notmodified: true }), 0)
  t.notOk(isWrittenAgain)
  t.equal(saved.at(-1)!.revision, (await storage.stat(fileId))!.revision)
})

t.test('notmodified when the stored content never ends: refused in time, its body is closed, the next save is stored', async t => {
  const files = (await storageOf(t)).open()
  const total = 200_000
  const timers = holdTimers(t, total)
  const endless: Readable[] = []
  let isEndless = false
  const storage: Storage = {
    ...files,
    async read (fileId, range) {
      const file = await files.read(fileId, range)
      if (!file || !isEndless) return file
      file.body.destroy()
      endless.push(new Readable({ read () {} }))
      timers.pass()
      return { ...file, body: endless[0]! }
    }
  }
  const { finish, storedText, fileId } = await startForced(t, FORCED, { storage, timeouts: { total } })
  isEndless = true
  t.equal(await finish(), 1)
  t.equal(endless.length, 1)
  t.equal(endless[0]!.destroyed, true)
  isEndless = false
  timers.hold()
  t.equal(await finish(), 0)
  t.equal(await storedText(fileId), FORCED)
})
