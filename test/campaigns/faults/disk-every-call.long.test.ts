import t from 'tap'
import { NEW, OLD } from '../../kit/editing.js'
import { startDiskService } from './disk-support.js'

const saves = {
  'a finished save': { status: 2, filetype: 'docx' },
  'a force save': { status: 6, filetype: 'docx' },
  'a finished save in another format': { status: 2, filetype: 'odt' }
}

/** One more or less than the time before: names that were looked up a moment ago are remembered. */
const ENOUGH_WITHOUT_FAULT = 3

// Each has a service of its own.
t.jobs = 2
t.setTimeout(300_000)

/**
 * The content at least: that the record of it is not on the disk costs a comparison of bytes after a power cut, no
 * work.
 */
const MUST_SYNC = 1

for (const isDone of [false, true]) {
  for (const [what, fields] of Object.entries(saves)) {
    t.test(`${what} by callback, every Nth file system call fails${isDone ? ' although it was carried out' : ''}: rejected and unchanged, or stored`, { timeout: 180_000 }, async t => {
      const { begin, key, post, postWith, stored, listingAfterRestart } = await startDiskService(t)
      const documents: string[] = []
      let refusedSyncs = 0
      for (let nth = 1, withoutFault = 0; withoutFault < ENOUGH_WITHOUT_FAULT; nth++) {
        const fileId = `document-${nth}`
        const before = { [`${fileId}.docx`]: OLD }
        const after = { [`${fileId}.${fields.filetype}`]: NEW }
        const session = await begin(fileId)
        const save = { ...fields, key: session }

        const { error, call } = await postWith({ nth, isDone }, fileId, save)
        const found = { error, stored: await stored(fileId), isSameKey: await key(fileId) === session }
        const isSaved = { error: 0, stored: after, isSameKey: fields.status === 6 }
        t.strictSame(found, error === 0 ? isSaved : { error: 1, stored: before, isSameKey: true }, `call ${nth}: ${call || 'none'}`)

        const repeated = { error: await post(fileId, save), stored: await stored(fileId), isSameKey: await key(fileId) === session }
        t.strictSame(repeated, isSaved, `call ${nth}: then the same callback`)
        if (call === '') withoutFault++
        if (call === 'sync' && error === 1) refusedSyncs++
        documents.push(...Object.keys(after))
      }
      t.ok(refusedSyncs >= MUST_SYNC, `${refusedSyncs} calls of fsync must not fail`)
      t.ok(documents.length > 40, `${documents.length} calls`)
      t.strictSame(await listingAfterRestart(), documents.sort(), 'no temp file, no copy')
    })
  }
}
