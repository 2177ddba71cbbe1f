import t from 'tap'
import { NEW, OLD } from '../../kit/editing.js'
import type { DiskFault } from './disk-calls.js'
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

for (const isDone of [false, true]) {
  for (const [what, fields] of Object.entries(saves)) {
    t.test(`${what} by callback, every Nth file system call fails${isDone ? ' although it was carried out' : ''}: rejected and unchanged, or stored`, { timeout: 180_000 }, async t => {
      const { begin, key, post, postWith, stored, listingAfterRestart } = await startDiskService(t)
      const documents: string[] = []
      async function saveWith (fault: DiskFault, fileId: string): Promise<{ error: unknown, call: string }> {
        const before = { [`${fileId}.docx`]: OLD }
        const after = { [`${fileId}.${fields.filetype}`]: NEW }
        const session = await begin(fileId)
        const save = { ...fields, key: session }

        const { error, call } = await postWith({ ...fault, isDone }, fileId, save)
        const found = { error, stored: await stored(fileId), isSameKey: await key(fileId) === session }
        const isSaved = { error: 0, stored: after, isSameKey: fields.status === 6 }
        t.strictSame(found, error === 0 ? isSaved : { error: 1, stored: before, isSameKey: true }, `${fileId}: ${call || 'no'} call failed`)

        const repeated = { error: await post(fileId, save), stored: await stored(fileId), isSameKey: await key(fileId) === session }
        t.strictSame(repeated, isSaved, `${fileId}: then the same callback`)
        documents.push(...Object.keys(after))
        return { error, call }
      }

      for (let nth = 1, withoutFault = 0; withoutFault < ENOUGH_WITHOUT_FAULT; nth++) {
        const { call } = await saveWith({ nth }, `document-${nth}`)
        if (call === '') withoutFault++
      }
      t.strictSame(await saveWith({ name: 'sync' }, 'document-not-on-disk'), { error: 1, call: 'sync' }, 'no save without fsync')
      t.ok(documents.length > 40, `${documents.length} calls`)
      t.strictSame(await listingAfterRestart(), documents.sort(), 'no temp file, no copy')
    })
  }
}
