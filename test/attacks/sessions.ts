import { errorOf } from '../helpers/editing.js'
import type { AlwaysStopped, Attack, StoppedByOptions } from './attack.js'
import { startTarget, type Target } from './target.js'

const FOREIGN_KEY = 'key-of-a-session-of-the-attacker'

const ownSession: StoppedByOptions = {
  title: 'leads whoever opens a document into another session at the document server, with other content',
  has: 'the document\'s callback URL, from a page with the editor',
  stoppedBy: { requireToken: 'no token of the document server' },
  async run (t, options) {
    const target = await startTarget(t, options)
    await target.postCallback(target.fileId, { key: FOREIGN_KEY, status: 1, users: ['victim'] })
    return await target.openedKey() === FOREIGN_KEY
  }
}

/** Tells of a session's beginning once more, after `between`. */
async function isLedBack (target: Target, between: () => Promise<unknown>): Promise<boolean> {
  const { fileId, key, openedKey, postSignedCallback } = target
  const began = { key, status: 1, users: ['victim'] }
  if (errorOf((await postSignedCallback(fileId, began)).body) !== 0) throw new Error('the session did not begin')
  await between()
  await postSignedCallback(fileId, began)
  return await openedKey() === key
}

const endedSession: AlwaysStopped = {
  title: 'leads whoever opens a document into a session that has ended, where nothing is saved',
  has: 'the genuine callback of its beginning, seen on the way',
  because: 'a session that was saved does not begin again',
  async run (t, options) {
    const target = await startTarget(t, options)
    return isLedBack(target, () => target.saveFrom(target.url))
  },
  async control (t, options) {
    const target = await startTarget(t, options)
    return isLedBack(target, async () => {})
  }
}

export const sessions: readonly Attack[] = [ownSession, endedSession]
