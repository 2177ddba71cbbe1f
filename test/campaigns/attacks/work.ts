import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startService } from '../../kit/sessions.js'
import type { Attack, TargetOptions } from './attack.js'

const EDIT = 'an afternoon of work'
const OUTSIDE = 'what another program wrote'

/** A service with an emulated document server, where a victim has edited something. */
async function startEdited (t: Test, options: TargetOptions) {
  const service = await startService(t, options)
  const session = await service.open()
  await session.edit(EDIT)
  const directory = join(t.testdirName, 'uploads')
  return { ...service, session, directory, file: join(directory, `${service.fileId}.txt`) }
}

/**
 * Work that the document server or the service loses: nobody else is needed but someone who brings the situation about.
 */
export const work: readonly Attack[] = [
  {
    title: 'destroys the work of a session with an image or font that the document server cannot assemble (status 3)',
    has: 'the right to edit the document',
    stoppedBy: { 'policies.corrupted': 'the document server is told to keep the changes' },
    async run (t, options) {
      const { session, open, documentServer } = await startEdited(t, options)
      documentServer.fault('assembly', { type: 'fail' })
      await session.close()
      const again = await open()
      return String(await again.content()) !== EDIT
    }
  },
  {
    title: 'destroys the work of a session by deleting its document during it',
    has: 'the right to delete the document',
    stoppedBy: { 'policies.missingFile': 'the document server is told to keep the saved file' },
    async run (t, options) {
      const { session, file, forgotten } = await startEdited(t, options)
      await rm(file)
      await session.close()
      return !forgotten().includes(EDIT)
    }
  },
  {
    title: 'uses a session to destroy what another program wrote meanwhile',
    has: 'the right to edit the document',
    stoppedBy: { 'policies.conflict': 'both contents are kept' },
    async run (t, options) {
      const { session, file, directory } = await startEdited(t, options)
      await writeFile(file, OUTSIDE)
      await session.close()
      const names = (await readdir(directory)).filter(name => name.endsWith('.txt'))
      const contents = await Promise.all(names.map(name => readFile(join(directory, name), 'utf8')))
      if (!contents.includes(EDIT)) throw new Error('the session was not saved')
      return !contents.includes(OUTSIDE)
    }
  }
]
