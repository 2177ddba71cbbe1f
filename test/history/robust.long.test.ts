import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { memoryStorage, type Storage } from '../../lib/index.js'
import { ADA, HANDLER, startHost } from '../kit/host.js'
import { GRACE, OLD, startHistorian } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

t.setTimeout(300_000)

t.test('no save is refused because of what the document server says about its changes', async t => {
  const classic = await startHistorian(t, { inFiles: true, profile: 'classic' })
  await classic.edit('two')
  const { url } = classic.sent(2)[0]!.body as { url: string }
  const deep = `${'['.repeat(90)}${']'.repeat(90)}`
  const odd =
    `{"user":{"id":"odd","name":"","groups":${deep},"__proto__":{"id":"x"}},"__proto__":{"created":"x"},"more":${deep},"created":"2026-01-02 03:04:05"}`
  for (const [index, changes] of [odd, `${odd},{"user":{"id":"\\ud800${'x'.repeat(70_000)}"}}`, ''].entries()) {
    const path = `${url}&number=${index}` // a save is known by its key, time and path
    const body = `{"status":6,"key":"${await classic.key()}","url":"${path}","lastsave":"2126-01-02T03:04:0${index}.000Z","history":{"serverVersion":"${'9'.repeat(70_000)}","changes":[${changes}]}}`
    t.match(await classic.postCallback(classic.fileId, body), { body: '{"error":0}' })
  }
  t.match((await (await classic.control()).history()).history.slice(2), [
    { user: { id: 'odd' }, changes: [{ user: { id: 'odd' }, created: '2026-01-02 03:04:05' }] },
    { changes: null },
    { changes: [] }
  ])
})

t.test('a storage that never tells what it is about to publish keeps versions, too', async t => {
  const { edit, open, contents, control } = await startHistorian(t, {
    inFiles: true,
    versions: { keep: 4 },
    storing: storage => ({
      ...storage,
      replace: async (fileId, content, { beforePublish, ...options } = {}) =>
        await storage.replace(fileId, content, options)
    })
  })
  await edit('two')
  await edit('three', GRACE)
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three']])
  t.match((await (await control()).history()).history.map(({ user }) => user), [{ id: '' }, ADA, GRACE])
  const session = await open()
  for (const content of ['a', 'b', 'c', 'd']) {
    await session.edit(content)
    t.match(await session.forceSave(), { accepted: true })
  }
  t.strictSame((await contents()).map(([, content]) => content), [OLD, 'three', 'b', 'c', 'd'])
  t.ok('changesUrl' in await (await control()).historyData(7))
  t.notOk('changesUrl' in await (await control()).historyData(5), 'those beside an older version are not its changes')
})

t.test('restore refuses a wrong timeout and signal', async t => {
  const { control, edit, open } = await startHistorian(t, { inFiles: true })
  await edit('two')
  await open()
  const opened = await control()
  for (const timeout of [NaN, -1, '5', null]) {
    await t.rejects(opened.restore(1, { timeout: timeout as number, signal: AbortSignal.timeout(1000) }), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: /timeout/
    }, String(timeout))
  }
  await t.rejects(opened.restore(1, { signal: {} as AbortSignal }), {
    code: 'FST_EDITOR_INVALID_OPTION',
    message: /signal/
  })
})

t.test('keeping may take longer than other calls, and what was given up is not published later', async t => {
  const gate = deferred()
  let slow = ''
  let late: Promise<unknown> | undefined
  const { edit, open, stored, contents } = await startHistorian(t, {
    inFiles: true,
    timeouts: { storage: 100 },
    storing () {
      const storage = memoryStorage()
      return {
        ...storage,
        async replace (...args) {
          if (slow !== 'replace') return await storage.replace(...args)
          const replaced = gate.promise.then(async () => await storage.replace(...args))
          late = replaced
          return await replaced
        },
        versions: {
          ...storage.versions,
          async keep (fileId, revision, { details } = {}) {
            if (slow === 'keep') await delay(150)
            return await storage.versions.keep(fileId, revision, { details })
          }
        }
      }
    }
  })
  await edit('one')
  slow = 'keep'
  await edit('two')
  slow = 'replace'
  const session = await open()
  await session.edit('refused')
  t.match(await session.forceSave(), { accepted: false })
  slow = ''
  gate.resolve()
  await t.rejects(late!)
  t.equal(await stored(), 'two')
  await session.edit('three')
  t.match(await session.close(), { accepted: true })
  t.strictSame(await contents(), [[1, OLD], [2, 'one'], [3, 'two'], [4, 'three']])
})

t.test('a save does not wait long for versions to be deleted', async t => {
  const { edit, contents } = await startHistorian(t, {
    inFiles: true,
    versions: { keep: 1 },
    storing: storage => ({ ...storage, versions: { ...storage.versions!, remove: async () => await new Promise(() => {}) } })
  })
  for (const content of ['two', 'three', 'four']) await edit(content)
  t.equal((await contents()).at(-1)![1], 'four')
})

t.test('a storage whose revision is a hash of the content has all versions, also after one was restored', async t => {
  const { edit, control, contents } = await startHistorian(t, { inFiles: true, storing: () => hashingStorage() })
  await edit('two')
  await edit('three')
  t.match(await (await control()).restore(1), { version: 4 })
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three'], [4, OLD]])
  t.match((await (await control()).history()).currentVersion, 4)
  await edit('five')
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three'], [4, OLD], [5, 'five']])
})

t.test('an app that closes restores nothing afterwards, and waits for what it has staged', async t => {
  const gate = deferred()
  const staging = deferred()
  let isGated = false
  let discarded = 0
  const { app, edit, control, stored, saved } = await startHistorian(t, {
    inFiles: true,
    storing: storage => ({
      ...storage,
      async stage (...args) {
        if (!isGated) return await storage.stage!(...args)
        staging.resolve()
        await gate.promise
        const staged = await storage.stage!(...args)
        const { discard } = staged
        return Object.assign(staged, {
          async discard () {
            await discard()
            discarded++
          }
        })
      }
    })
  })
  await edit('two')
  const count = saved.length
  isGated = true
  const opened = await control()
  const restoring = t.rejects(opened.restore(1), { message: /closing/ })
  await staging.promise
  const closed = app.close()
  await restoring
  gate.resolve()
  await closed
  t.equal(discarded, 1)
  t.equal(await stored(), 'two')
  t.equal(saved.length, count)
})

t.test('a signal ends a restore that waits for an earlier save', async t => {
  const gate = deferred()
  const staged = deferred()
  let isGated = false
  let isRestoring = false
  const { edit, open, control, stored } = await startHistorian(t, {
    inFiles: true,
    storing: storage => ({
      ...storage,
      async stage (...args) {
        const content = await storage.stage!(...args)
        if (isRestoring) staged.resolve()
        return content
      }
    }),
    async onSaved () {
      if (isGated) await gate.promise
    }
  })
  await edit('two')
  const session = await open()
  await session.edit('three')
  isGated = true
  const saving = session.close()
  while (await stored() !== 'three') await delay(1)
  isRestoring = true
  const ending = new AbortController()
  const restoring = (await control()).restore(1, { signal: ending.signal })
  await staged.promise
  await delay(50) // until it waits for its turn
  ending.abort(new Error('enough'))
  await t.rejects(restoring, { message: 'enough' })
  gate.resolve()
  await saving
  t.equal(await stored(), 'three')
})

t.test('a process that dies between a restored version and its note leads nobody back to a save that was refused', async t => {
  const storage = memoryStorage()
  let isDying = false
  const { edit, open, control, documentServer, clock, key, fileId } = await startHistorian(t, {
    storing: () => ({
      ...storage,
      state: {
        ...storage.state,
        owner: 'a',
        async set (id, record, ...rest) {
          if (isDying && !(record as { lock?: object }).lock) throw new Error('dead')
          return await storage.state.set(id, record, ...rest)
        }
      }
    })
  })
  await edit('two')
  const refused = await open()
  const refusedKey = await key()
  await refused.edit('refused')
  const mend = documentServer.fault('file', { type: 'html' })
  t.match(await refused.close(), { accepted: false })
  mend()
  t.equal(await key(), refusedKey)
  isDying = true
  t.match(await (await control()).restore(1), { version: 3 })
  const other = await startHost(t, {
    clock,
    storage: { ...storage, state: { ...storage.state, owner: 'b', hasEnded: owner => owner === 'a' } },
    documentServerOrigin: documentServer.url,
    publicBaseUrl: new URL((await control()).callbackUrl).origin,
    versions: {}
  })
  t.not((await other.app.editorControl().openDocument(fileId)).documentKey, refusedKey)
})

t.test('hooks that restore each other\'s documents do not wait for each other', async t => {
  const results: unknown[] = []
  let second = ''
  const service = await startHistorian(t, {
    inFiles: true,
    async onSaved ({ fileId, restored }) {
      if (second === '') return
      if (fileId === service.fileId) await (await service.app.editorControl().openDocument(second)).restore(1)
      else if (restored) results.push(await (await service.control()).restore(1).catch(error => error.code))
    }
  })
  const other = await service.app.editorControl().setDocumentFromBytes(Buffer.from('another'), 'Other.txt')
  await service.edit('two')
  const session = await service.documentServer.open((await service.app.editorControl({ user: ADA }).openDocument(other)).config!)
  await session.edit('another two')
  t.match(await session.close(), { accepted: true })
  second = other
  await service.edit('three')
  t.strictSame(results, ['FST_EDITOR_BUSY'])
})

t.test('a page that names only a part of a change restores nothing', async t => {
  const { edit, control, stored, origin, documentServer } = await startHistorian(t, { inFiles: true })
  await edit('two')
  const { pageToken } = await control()
  const statusOf = async (body: object) =>
    (await fetch(`${origin}${HANDLER}/actions/restore`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken }
    })).status
  for (const part of [{ url: `${documentServer.url}/cache/files/x` }, { fileType: 'txt' }]) {
    t.equal(await statusOf({ version: 1, ...part }), 400)
  }
  t.equal(await stored(), 'two')
  t.equal(await statusOf({ version: 1 }), 200)
  t.equal(await stored(), OLD)
})

t.test('where formats are ignored, a change that is restored does not rename the document', async t => {
  const { edit, open, control, sent, listing, stored, fileId } = await startHistorian(t, { inFiles: true, policies: { formatChange: 'ignore' } })
  const session = await open()
  await session.edit(Buffer.from('a,b'), { fileType: 'csv' })
  t.match(await session.close(), { accepted: true })
  await edit('three')
  await (await control()).restore(2, { result: { url: (sent(2)[0]!.body as { url: string }).url, fileType: 'csv' } })
  t.equal(await stored(), 'a,b')
  t.strictSame(await listing(), [`${fileId}.txt`])
})

/** Documents in memory, whose revision is a hash of the content, like the entity tags of object stores. */
function hashingStorage (): Storage {
  const storage = memoryStorage()
  const hashes = new Map<string, string>()
  const hashOf = async (fileId: string) => {
    const file = await storage.read(fileId)
    if (file === null) return undefined
    const hash = createHash('sha256')
    for await (const chunk of file.body) hash.update(chunk)
    const digest = hash.digest('hex')
    hashes.set(file.info.revision, digest)
    return { revision: file.info.revision, digest }
  }
  const hashed = async <Info extends { readonly fileId: string, readonly revision: string } | null>(
    info: Info
  ): Promise<Info> => info && { ...info, revision: (await hashOf(info.fileId))!.digest }
  const own = async (fileId: string, digest: string | undefined) => {
    const now = await hashOf(fileId)
    return digest === undefined || now?.digest === digest ? now?.revision ?? '' : 'another'
  }
  const listed = <Version extends { readonly revision: string }>(version: Version): Version => ({ ...version, revision: hashes.get(version.revision)! })
  return {
    ...storage,
    stat: async fileId => await hashed(await storage.stat(fileId)),
    async read (...args) {
      const file = await storage.read(...args)
      return file && { ...file, info: await hashed(file.info) }
    },
    create: async (...args) => await hashed(await storage.create(...args)),
    async replace (fileId, content, { ifRevision, beforePublish, ...options } = {}) {
      return await hashed(await storage.replace(fileId, content, { ...options, ifRevision: await own(fileId, ifRevision) }))
    },
    versions: {
      ...storage.versions,
      list: async fileId => (await storage.versions.list(fileId)).map(listed),
      async keep (fileId, revision, options) {
        const kept = await storage.versions.keep(fileId, await own(fileId, revision), options)
        return kept && listed(kept)
      },
      async read (...args) {
        const found = await storage.versions.read(...args)
        return found && { ...found, version: listed(found.version) }
      }
    }
  }
}
