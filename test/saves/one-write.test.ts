import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { SavedEvent, SessionEndEvent } from '../../lib/index.js'
import type { Storage } from '../../types/storage.js'
import { oneWriteStorage, sending } from '../kit/storage.js'
import { type EditingOptions, NEW, OLD, startEditing } from '../kit/editing.js'
import { answerWith } from '../kit/http.js'
import { startHost } from '../kit/host.js'
import { packageOf } from '../kit/packages.js'
import { deferred, holdTimers } from '../kit/time.js'

type OneWriteStorage = ReturnType<typeof oneWriteStorage>
type Commit = OneWriteStorage['commit']

const CHANGES = packageOf('the changes')

/** Somebody edits a document in a storage that commits. */
async function startCommitting (t: Test, change: (whole: OneWriteStorage) => Partial<Record<keyof Storage, unknown>>, options: EditingOptions = {}) {
  const whole = oneWriteStorage()
  const saved: SavedEvent[] = []
  const ended: SessionEndEvent[] = []
  const editing = await startEditing(t, {
    memory: true,
    storage: { ...whole, ...change(whole) } as Storage,
    onSaved: event => { saved.push(event) },
    onSessionEnd: event => { ended.push(event) },
    ...options
  })
  const { key, post, url } = editing
  t.equal(await post({ key, status: 1 }), 0)
  return { ...editing, whole, saved, ended, save: async (status: 2 | 6 = 2) => await post({ key, status, url, filetype: 'txt', users: ['ada'] }) }
}

/** A commit that is done, and then something else is done before it is reported to have failed. */
function losingAnswers (commit: Commit, afterwards: (fileId: string) => Promise<unknown> = async () => {}): Commit {
  return async (fileId, ...args) => {
    if (await commit(fileId, ...args)) await afterwards(fileId)
    throw new Error('The answer was lost')
  }
}

async function setState ({ state }: OneWriteStorage, fileId: string, change: (value: { readonly sessions: readonly object[] }) => object): Promise<void> {
  const { value, version } = (await state.get(fileId))!
  t.ok(await state.set(fileId, change(value as { readonly sessions: readonly object[] }), version))
}

t.test('a commit whose answer is lost counts as a save, and what other instances note at that moment is kept', async t => {
  const other = { key: 'of another instance', state: 'open', lastReported: Date.now() }
  const { save, saved, ended, fileId, storedText, whole, app } = await startCommitting(t, whole => ({
    commit: losingAnswers(whole.commit, async fileId => await setState(whole, fileId, value => ({ ...value, sessions: [...value.sessions, other] })))
  }))
  t.equal(await save(), 0)
  t.equal(await storedText(fileId), NEW)
  t.match(saved, [{ status: 2, conflict: undefined }])
  t.match((await whole.state.get(fileId))?.value, { sessions: [other] })
  t.equal(await save(), 0, 'a repeat')
  await app.close()
  t.match(ended, [{ reason: 'saved', users: ['ada'] }])
  t.equal(ended.length, 1)
  t.equal(saved.length, 1)
})

t.test('a commit whose answer is lost is found when others have replaced the file since, or without snapshot', async t => {
  await t.test('replaced', async t => {
    const { save, fileId, storedText, saved } = await startCommitting(
      t,
      whole => ({
        commit: losingAnswers(whole.commit, async fileId => await whole.replace(fileId, Buffer.from('later')))
      })
    )
    t.equal(await save(), 0)
    t.equal(await storedText(fileId), 'later')
    t.match(saved, [{ size: NEW.length }])
  })
  await t.test('no snapshot', async t => {
    const { save, fileId, storedText } = await startCommitting(t, whole => ({ snapshot: undefined, commit: losingAnswers(whole.commit) }))
    t.equal(await save(6), 0)
    t.equal(await storedText(fileId), NEW)
  })
})

/** A commit that takes longer than it may, until it is let go. */
function hanging (commit: Commit) {
  const gate = deferred()
  const done = deferred<unknown>()
  return {
    commit: (async (...args) => {
      const committing = sending.run(async () => await gate.promise, async () => await commit(...args))
      committing.then(done.resolve, done.reject)
      return await committing
    }) satisfies Commit,
    async arrive () {
      gate.resolve()
      return await done.promise
    }
  }
}

t.test('a commit that takes too long is refused, and changes nothing when it arrives after that was noted', async t => {
  let slow!: ReturnType<typeof hanging>
  let isSlow = true
  const { save, fileId, storedText, openedKey, key, ended, saved } = await startCommitting(t, whole => {
    slow = hanging(whole.commit)
    return { commit: (async (...args) => await (isSlow ? slow : whole).commit(...args)) satisfies Commit }
  }, { timeouts: { storage: 100 } })
  t.equal(await save(), 1)
  isSlow = false
  t.equal(await slow.arrive(), null)
  t.equal(await storedText(fileId), OLD)
  t.equal(await openedKey(), key, 'the way back to the refused save')
  t.equal(await save(), 0)
  t.equal(await storedText(fileId), NEW)
  t.match(ended, [{ reason: 'refused' }])
  t.equal(saved.length, 1)
})

t.test('a commit that arrives after it was refused, and before that was noted, ends the session once', async t => {
  let slow!: ReturnType<typeof hanging>
  let fails = false
  const { save, fileId, storedText, ended, saved, app, openedKey, key } = await startCommitting(t, whole => {
    slow = hanging(whole.commit)
    return {
      commit: slow.commit,
      state: {
        ...whole.state,
        set: (async (...args) =>
          fails
            ? await Promise.reject(new Error('The store does not answer'))
            : await whole.state.set(...args)) satisfies OneWriteStorage['state']['set']
      }
    }
  }, { timeouts: { storage: 100 } })
  fails = true
  t.equal(await save(), 1)
  t.equal(ended.length, 0)
  fails = false
  t.ok(await slow.arrive())
  t.equal(await storedText(fileId), NEW)
  t.equal(await save(), 0, 'a repeat')
  t.equal(saved.length, 1, 'the event was left over')
  t.not(await openedKey(), key)
  await app.close()
  t.match(ended, [{ reason: 'saved' }])
  t.equal(ended.length, 1)
})

t.test('a commit that is done in time but answered late is found, and ends the session once', async t => {
  const release = deferred()
  const answered = deferred<unknown>()
  const { save, saved, ended, app } = await startCommitting(t, whole => ({
    commit: (async (...args) => {
      const answering = whole.commit(...args).finally(async () => await release.promise)
      answering.then(answered.resolve, answered.reject)
      return await answering
    }) satisfies Commit
  }), { timeouts: { storage: 100 } })
  t.equal(await save(), 0)
  release.resolve()
  t.ok(await answered.promise)
  await app.close()
  t.equal(saved.length, 1)
  t.match(ended, [{ reason: 'saved' }])
  t.equal(ended.length, 1)
})

t.test('a commit that decides only after its time limit stores nothing', async t => {
  const gate = deferred()
  const late = deferred<unknown>()
  let fails = false
  const { save, fileId, storedText } = await startCommitting(t, whole => ({
    commit: (async (...args) => {
      await gate.promise
      const committing = whole.commit(...args)
      committing.then(late.resolve, late.resolve)
      return await committing
    }) satisfies Commit,
    state: {
      ...whole.state,
      set: (async (...args) =>
        fails
          ? await Promise.reject(new Error('The store does not answer'))
          : await whole.state.set(...args)) satisfies OneWriteStorage['state']['set']
    }
  }), { timeouts: { storage: 100 } })
  fails = true // otherwise the note of the refusal would make it fail
  t.equal(await save(), 1)
  gate.resolve()
  t.match(await late.promise, { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  t.equal(await storedText(fileId), OLD)
})

t.test('a file that was removed while its save was fetched gets no conflict copy, also if there is no record', async t => {
  let created = 0
  const asked = deferred()
  const release = deferred()
  const { post, url, whole } = await startCommitting(t, whole => ({
    create: (async (...args) => {
      created++
      return await whole.create(...args)
    }) satisfies OneWriteStorage['create']
  }), {
    async serve (_request, response) {
      asked.resolve()
      await release.promise
      response.end(NEW)
    }
  })
  const { fileId } = await whole.create('txt', Buffer.from(OLD))
  created = 0
  const answer = post({ status: 2, url, filetype: 'txt' }, fileId) // under a key of an older content
  await asked.promise
  await whole.remove(fileId)
  release.resolve()
  t.equal(await answer, 1)
  t.equal(created, 0, 'no conflict copy')
  t.equal(await whole.state.get(fileId), null)
})

t.test('the changes of a save are staged in the storage, so that the commit is short', async t => {
  const staged: string[] = []
  const { post, url, key, documentServer, fileId, whole } = await startCommitting(t, ({ stage }) => ({
    stage: (async (...args) => {
      staged.push(args[0])
      return await stage(...args)
    }) satisfies OneWriteStorage['stage']
  }), { versions: {}, serve: answerWith(NEW) })
  t.equal(
    await post({
      key,
      status: 2,
      url,
      filetype: 'txt',
      changesurl: `${documentServer.origin}/cache/files/data/key_1/changes.zip/changes.zip`,
      history: { changes: [], serverVersion: '9.0' }
    }),
    0
  )
  t.strictSame(staged, [fileId, fileId])
  t.match(await whole.versions.list(fileId), [{ changesSize: NEW.length }])
})

for (const outcome of ['stored', 'refused'] as const) {
  t.test(`what was staged of a save and its changes is discarded when the save is ${outcome}`, async t => {
    const left = new Set<number>()
    const { post, url, key, documentServer } = await startCommitting(t, ({ stage, commit }) => ({
      stage: (async (...args) => {
        const staged = await stage(...args)
        left.add(staged.size)
        return Object.assign(staged, { discard: async () => { left.delete(staged.size) } })
      }) satisfies OneWriteStorage['stage'],
      commit: (async (...args) => {
        t.strictSame([...left], [NEW.length, CHANGES.length], 'both are needed until then')
        if (outcome === 'refused') throw new Error('the disk is full')
        return await commit(...args)
      }) satisfies Commit
    }), {
      versions: {},
      serve: (request, response) => response.end(request.url === '/changes.zip' ? CHANGES : NEW)
    })
    const changesurl = `${documentServer.origin}/changes.zip`
    t.equal(await post({ key, status: 2, url, filetype: 'txt', changesurl, history: { changes: [] } }), outcome === 'stored' ? 0 : 1)
    t.strictSame([...left], [])
  })
}

t.test('changes that arrive after their time are discarded, and the save is stored without them', async t => {
  const timers = holdTimers(t, 10_000)
  const asked = deferred<ServerResponse>()
  const discarded = deferred()
  const { post, url, key, documentServer, fileId, storedText, whole } = await startCommitting(t, ({ stage }) => ({
    stage: (async (...args) => {
      const staged = await stage(...args)
      if (staged.size !== CHANGES.length) return staged
      return Object.assign(staged, { discard: async () => discarded.resolve() })
    }) satisfies OneWriteStorage['stage']
  }), {
    versions: {},
    serve: (request, response) => {
      request.url === '/changes.zip' ? asked.resolve(response) : response.end(NEW)
    }
  })
  const saving = post({
    key,
    status: 2,
    url,
    filetype: 'txt',
    changesurl: `${documentServer.origin}/changes.zip`,
    history: { changes: [], serverVersion: '9.0' }
  })
  const response = await asked.promise
  timers.pass()
  t.equal(await saving, 0)
  t.equal(await storedText(fileId), NEW)
  t.match(await whole.versions.list(fileId), [{ changesSize: undefined }])
  response.end(CHANGES)
  await discarded.promise
})

t.test('a storage whose members do not fit together is refused at registration', async t => {
  const storage = oneWriteStorage()
  const { snapshot, ...withoutSnapshot } = storage
  for (
    const [wrong, missing] of [[{ ...storage, stage: undefined }, /commit.*stage/], [{
      ...withoutSnapshot,
      state: undefined
    }, /commit.*state/], [{ ...storage, commit: undefined, state: undefined }, /snapshot.*state/]] as const
  ) {
    await t.rejects(startHost(t, { storage: wrong as unknown as Storage }), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: missing
    })
  }
})
