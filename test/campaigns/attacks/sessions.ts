import { errorOf } from '../../kit/editing.js'
import type { AlwaysStopped, Attack, StoppedByOptions } from './attack.js'
import { startTarget, type Target } from './target.js'

const FOREIGN_KEY = 'key-of-a-session-of-the-attacker'

const ownSession: StoppedByOptions = {
  title: 'sends the next editor of a document into another session with other content',
  has: 'the document\'s callback URL, from a page with the editor',
  stoppedBy: { requireToken: 'no token from the document server' },
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
  title: 'sends the next editor of a document into an ended session, where nothing is saved',
  has: 'the intercepted authentic callback of its start',
  because: 'a saved session cannot be started again',
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
