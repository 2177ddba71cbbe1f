import t from 'tap'
import { type SessionEvent, type SessionState, TRANSITIONS } from '../../lib/sessions/record.js'
import { deferred } from '../kit/time.js'
import { startEditing } from '../kit/editing.js'
import { savedAt } from '../kit/http.js'
import { isOnS3, storeOf } from '../kit/storage.js'

const STATES: readonly SessionState[] = ['none', 'open', 'unconfirmed', 'refused', 'reopened', 'finished']
const EVENTS = Object.keys(TRANSITIONS) as SessionEvent[]

const [EARLIER, TIME] = ['2026-11-24T08:00:00.000Z', '2026-11-24T08:00:10.000Z']

/** After these the session has a final save in the record. */
const AFTER_FINAL_SAVE: readonly SessionEvent[] = ['joinedLate', 'repeated']

/** What comes after a final save does not come before it, and the other way round. */
function isPossible (event: SessionEvent, state: SessionState): boolean {
  if (AFTER_FINAL_SAVE.includes(event)) return state !== 'none'
  return event !== 'joined' || state !== 'finished'
}

for (const event of EVENTS) {
  const skip = event === 'deleted' && isOnS3 && 'This storage removes the record together with the document'
  t.test(`what follows ${event}, from each state`, { skip }, async t => {
    const commands = { error: 1, users: undefined as string[] | undefined }
    let fetching = () => {}
    let stored = deferred()
    const host = await startEditing(t, {
      policies: { conflict: 'keep-both' },
      onSaved: () => stored.resolve(),
      serve (request, response) {
        if (request.method === 'POST') return response.end(JSON.stringify(commands))
        fetching()
        if (request.url === '/missing') response.statusCode = 404
        response.end(request.url)
      }
    })
    const { app, storage, documentServer: { origin }, post, others } = host

    async function record (fileId: string) {
      return (await storeOf(app).snapshot(fileId)).record?.value as {
        sessions: Array<{ key: string, state: SessionState }>,
        saves: Array<{ key: string, status: number }>
      }
    }

    /** Of the session, as the record says. */
    async function stateOf (fileId: string, key: string): Promise<SessionState> {
      const { sessions = [], saves = [] } = await record(fileId) ?? {}
      const isFinished = saves.some(save => save.key === key && save.status === 2)
      return sessions.find(session => session.key === key)?.state ?? (isFinished ? 'finished' : 'none')
    }

    /** A document with a session in this state. */
    async function begin (state: SessionState) {
      const { fileId, revision } = await storage.create('txt', Buffer.from('content'))
      const key = host.keys.of({ fileId, revision })
      const isSaved = state === 'finished' || AFTER_FINAL_SAVE.includes(event)
      const save = { key, status: 2, path: savedAt('', key).split('?', 1)[0]!, lastsave: EARLIER, storedAt: Date.now(), revision }
      const session = { key, state, baseRevision: revision, lastReported: 0 }
      await storeOf(app).state.set(fileId, {
        format: 1,
        sessions: state === 'none' || state === 'finished' ? [] : [session],
        saves: isSaved ? [save] : []
      }, null)
      if (state !== 'none' || isSaved) t.equal(await stateOf(fileId, key), state, 'before')
      return { fileId, key }
    }

    async function saveUnheard (fileId: string, key: string, lastsave: string): Promise<void> {
      stored = deferred()
      fetching = () => app.server.closeAllConnections()
      await t.rejects(post({ key, status: 2, lastsave, url: `${origin}/${lastsave}` }, fileId))
      await stored.promise
      fetching = () => {}
      await post({ key: host.keyOf(fileId), status: 5 }, fileId) // in the queue of the file, after it
    }

    async function ask (fileId: string, answer: { error: number, users?: string[] }): Promise<void> {
      Object.assign(commands, { users: undefined, ...answer })
      await host.openedKey(fileId)
    }

    type Session = Awaited<ReturnType<typeof begin>>
    const happens: Record<SessionEvent, (session: Session) => Promise<unknown>> = {
      joined: async ({ fileId, key }) => t.equal(await post({ key, status: 1, users: ['u1'] }, fileId), 0),
      joinedLate: async ({ fileId, key }) => t.equal(await post({ key, status: 1, users: ['u1'] }, fileId), 0),
      unsaved: async ({ fileId, key }) => t.equal(await post({ key, status: 1, users: [] }, fileId), 0),
      closed: async ({ fileId, key }) => t.equal(await post({ key, status: 4 }, fileId), 0),
      forceSaved: async ({ fileId, key }) => t.equal(await post({ key, status: 6, lastsave: TIME, url: `${origin}/forced` }, fileId), 0),
      saved: async ({ fileId, key }) => t.equal(await post({ key, status: 2, lastsave: TIME, url: `${origin}/saved` }, fileId), 0),
      savedUnheard: async ({ fileId, key }) => await saveUnheard(fileId, key, TIME),
      repeated: async ({ fileId, key }) => t.equal(await post({ key, status: 2, lastsave: EARLIER, url: savedAt(origin, key) }, fileId), 0),
      refused: async ({ fileId, key }) => t.equal(await post({ key, status: 2, lastsave: TIME, url: `${origin}/missing` }, fileId), 1),
      async deleted ({ fileId, key }) {
        await others.remove(fileId, 'txt')
        t.equal(await post({ key, status: 2, lastsave: TIME, url: `${origin}/saved` }, fileId), 1)
      },
      edited: async ({ fileId }) => await ask(fileId, { error: 0, users: ['u1'] }),
      known: async ({ fileId }) => await ask(fileId, { error: 0, users: [] }),
      unknown: async ({ fileId }) => await ask(fileId, { error: 1 })
    }

    for (const state of STATES.filter(one => isPossible(event, one))) {
      const session = await begin(state)
      await happens[event](session)
      const expected = TRANSITIONS[event][state]
      const isSaved = (await record(session.fileId))?.saves.some(({ key, status }) => key === session.key && status === 2)
      t.equal(await stateOf(session.fileId, session.key), expected === 'none' && isSaved ? 'finished' : expected, `${state}: ${expected}`)
    }
  })
}
