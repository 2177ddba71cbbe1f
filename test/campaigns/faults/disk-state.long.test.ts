import t from 'tap'
import { memoryStorage, type StateStore, type Storage } from '../../../lib/index.js'
import { NEW, OLD, startEditing } from '../../kit/editing.js'

/** A storage whose state fails at one call, or from it on, counted from the moment this is requested. */
function failingState (announces: boolean) {
  const memory = memoryStorage()
  let remaining = 0
  let isDoneFirst = false
  let isForGood = false
  let failed = ''
  let documents = 0

  async function called<Result> (name: string, call: () => Promise<Result>): Promise<Result> {
    if (remaining === 0 || --remaining > 0) return await call()
    if (isForGood) remaining = 1
    failed = name
    if (isDoneFirst) await call()
    throw new Error(`the state failed: ${name}`)
  }

  const state: StateStore = {
    get: fileId => called('get', () => memory.state.get(fileId)),
    set: (fileId, value, version) => called('set', () => memory.state.set(fileId, value, version))
  }
  const storage: Storage = {
    ...memory,
    state,
    create (extension, content) {
      documents++
      return memory.create(extension, content)
    },
    replace: (fileId, content, { beforePublish, ...options } = {}) =>
      memory.replace(fileId, content, { ...options, ...(announces && beforePublish && { beforePublish }) })
  }
  return {
    storage,
    fail (nth: number, isDone: boolean) {
      remaining = nth
      isDoneFirst = isDone
      failed = ''
    },
    failFrom (nth: number) {
      remaining = nth
      isDoneFirst = false
      isForGood = true
    },
    heal () {
      remaining = 0
      isForGood = false
      return failed
    },
    documents: () => documents
  }
}

t.setTimeout(300_000)

for (const announces of [true, false]) {
  for (const status of [2, 6]) {
    for (const isDone of [false, true]) {
      t.test(`every Nth call of the state fails${isDone ? ' although it was carried out' : ''}, ${announces ? 'the content was announced' : 'the content was not announced'}, status ${status}`, async t => {
        const { storage, fail, heal, documents } = failingState(announces)
        const { post, openedKey, url } = await startEditing(t, { storage, memory: true })
        let nth = 0
        for (let call = 'none yet'; call !== ''; nth++) {
          const { fileId } = await storage.create('docx', Buffer.from(OLD))
          const key = await openedKey(fileId)
          t.equal(await post({ status: 1, key }, fileId), 0)
          const before = documents()
          const save = { status, key, url }
          const found = async (error: unknown) => ({
            error,
            stored: String(Buffer.concat(await (await storage.read(fileId))!.body.toArray())),
            isSameKey: await openedKey(fileId) === key,
            copies: documents() - before
          })
          const isSaved = { error: 0, stored: NEW, isSameKey: status === 6, copies: 0 }

          fail(nth + 1, isDone)
          const error = await post(save, fileId)
          call = heal()
          t.strictSame(await found(error), error === 0 ? isSaved : { error: 1, stored: OLD, isSameKey: true, copies: 0 }, `call ${nth + 1}: ${call || 'none'}`)
          t.strictSame(await found(await post(save, fileId)), isSaved, `call ${nth + 1}: then the same callback`)
        }
        t.ok(nth > 4, `${nth} calls`)
      })
    }
  }
}

for (const status of [2, 6]) {
  t.test(`the state fails from the Nth call on and then recovers, status ${status}`, { timeout: 300_000 }, async t => {
    for (const announces of [true, false]) {
      const { storage, failFrom, heal, documents } = failingState(announces)
      const { post, openedKey, url } = await startEditing(t, { storage, memory: true })
      for (let nth = 1; nth <= 6; nth++) {
        const { fileId } = await storage.create('docx', Buffer.from(OLD))
        const key = await openedKey(fileId)
        t.equal(await post({ status: 1, key }, fileId), 0)
        const before = documents()
        failFrom(nth)
        const error = await post({ status, key, url }, fileId)
        heal()
        const stored = async () => String(Buffer.concat(await (await storage.read(fileId))!.body.toArray()))
        if (announces) t.equal(await stored(), error === 0 ? NEW : OLD, `from call ${nth}: the stored save is acknowledged`)
        t.equal(await post({ status, key, url }, fileId), 0, `from call ${nth}, answered ${error}: then the same callback`)
        t.equal(await stored(), NEW)
        t.equal(documents(), before, 'no copy of content that was already stored')
        t.equal(await openedKey(fileId) === key, status === 6, 'the key')
      }
    }
  })
}
