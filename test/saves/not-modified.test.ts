import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type SavedEvent } from '../../lib/index.js'
import { directoryOf, type EditingOptions, startEditing } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { isOnS3 } from '../kit/storage.js'

const FORCED = packageOf('saved by force')
const TIME = '2026-11-20T16:12:26.000Z'

/**
 * A session that was saved by force; its finished save, of which the document server says that nothing was modified, is
 * at `/finished`.
 */
async function startForced (t: Test, finished: string, options: EditingOptions = {}) {
  const saved: SavedEvent[] = []
  const editing = await startEditing(t, {
    fileType: 'docx',
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

t.test('notmodified with the bytes of the force save: nothing is written, the session has ended, onSaved is called', async t => {
  const { fileId, key, openedKey, storedText, listing, saved, finish, written, documentServer } = await startForced(t, FORCED)
  const before = { ...await written(), listing: await listing() }
  t.equal(await openedKey(), key)
  t.equal(await finish(), 0)
  t.strictSame({ ...await written(), listing: await listing() }, before)
  t.equal(await storedText(fileId), FORCED)
  t.match(saved.at(-1), { fileId, key, status: 2, stored: { fileType: 'docx', size: FORCED.length, revision: before.revision }, users: ['u1'] })
  const next = await openedKey()
  t.not(next, key)
  t.equal(await openedKey(), next)

  t.equal(await finish(), 0, 'a repeat')
  t.strictSame(documentServer.requests.filter(path => !path.startsWith('/coauthoring/')), ['/force', '/finished'])
  t.equal(saved.length, 2)
  t.equal(await openedKey(), next)
})

t.test('notmodified with other bytes than those of the force save: they are stored', async t => {
  const other = packageOf('saved by hand!')
  const { fileId, key, openedKey, storedText, saved, finish } = await startForced(t, other)
  t.equal(other.length, FORCED.length)
  t.equal(await finish(), 0)
  t.equal(await storedText(fileId), other)
  t.match(saved.at(-1), { status: 2, conflict: undefined })
  t.not(await openedKey(), key)
})

t.test('notmodified without the saved file: refused, the key stays', async t => {
  let broken = false
  const { key, openedKey, finish, written } = await startForced(t, FORCED, {
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
