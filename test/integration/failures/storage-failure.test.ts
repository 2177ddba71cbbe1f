import t from 'tap'
import type { Content, Storage } from '../../../lib/index.js'
import { expectRescue, OLD, startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

/** A storage whose disk is full as long as `full` says so: it fails after the content was read. */
function failing () {
  const state = { full: true }
  async function check (content: Content): Promise<void> {
    if (!state.full) return
    if (!(content instanceof Uint8Array)) for await (const chunk of content) chunk.toString()
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const storing = (storage: Storage): Storage => ({
    ...storage,
    async replace (fileId, content, options) {
      await check(content)
      return await storage.replace(fileId, content, options)
    },
    ...storage.commit && {
      async commit (fileId, content, options) {
        await check(content)
        return await storage.commit!(fileId, content, options)
      }
    }
  })
  return { state, storing }
}

for (const profile of profiles) {
  t.test(`disk full: the save is refused, the document server keeps it, and opening the same key restores it (${profile})`, async t => {
    const { state, storing } = failing()
    const service = await startService(t, { profile, storing })
    const session = await service.open()
    await session.edit('not to be lost')
    t.match(await session.close(), { status: 2, httpStatus: 200, answer: { error: 1 }, accepted: false })
    await t.rejects(session.saved(), /status 2/)
    state.full = false
    await expectRescue(t, service, session, 'not to be lost')
  })

  t.test(`disk full during a force save: the editor is told, and the finished save is stored (${profile})`, async t => {
    const { state, storing } = failing()
    const { open, stored, key, saved } = await startService(t, { profile, storing })
    const session = await open()
    await session.edit('not to be lost')
    t.match(await session.forceSave(), { status: 6, answer: { error: 1 } })
    t.match(await session.nextEvent('forceSaved'), { accepted: false })
    t.equal(await stored(), OLD)
    t.equal(await key(), session.key)
    state.full = false
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'not to be lost')
    t.strictSame(saved.map(({ status }) => status), [2])
  })

  t.test(`a forgotten file that is edited further is saved with the new edits (${profile})`, async t => {
    const { state, storing } = failing()
    const { open, stored, key } = await startService(t, { profile, storing })
    const session = await open()
    await session.edit('first')
    await session.close()
    const again = await open()
    await again.edit('first and second')
    t.match(await again.close(), { answer: { error: 1 } }, 'the disk is still full')
    state.full = false
    const last = await open()
    t.equal(last.key, session.key)
    t.equal(String(await last.content()), 'first and second')
    await last.edit('first, second, third')
    t.match(await last.close(), { accepted: true })
    t.equal(await stored(), 'first, second, third')
    t.not(await key(), session.key)
  })
}
