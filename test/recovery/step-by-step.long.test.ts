/** What may happen between any two requests of a run: each test lets one thing happen before one of them. */
import type { Session } from 'onlyoffice-emulator'
import t from 'tap'
import { fileStorage, memoryStorage } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { startHost } from '../kit/host.js'
import { OLD, startService } from '../kit/sessions.js'
import { startAfterOutage, watchedClient } from './outage.js'

t.setTimeout(5 * 60_000)

for (const step of ['getForgotten 1', 'file 1', 'info 3', 'getForgotten 2', 'file 2', 'deleteForgotten 1']) {
  t.test(`another instance deletes the file before ${step}: nothing failed, and nothing is kept`, async t => {
    const { httpClient, before } = watchedClient()
    const { recover, app, lostKey, forgotten } = await startAfterOutage(t, 'edited', { httpClient })
    before(step, async () => await app.editorServer.command({ c: 'deleteForgotten', key: lostKey }))
    t.match(await recover(), [{ outcome: /^(stored|gone)$/, kept: false }])
    t.strictSame(forgotten(), [])
  })
}

for (const step of ['getForgotten 1', 'file 1', 'info 2', 'info 3']) {
  t.test(`somebody opens the document before ${step}, and edits it: nothing is lost`, async t => {
    const { httpClient, before } = watchedClient()
    const { recover, open, forgotten, stored, listing, lostKey } = await startAfterOutage(t, 'first', { httpClient })
    let session: Session | undefined
    before(step, async () => { session = await open() })
    const isStored = step === 'info 3'
    t.match(await recover(), [isStored ? { outcome: 'stored', kept: false } : { outcome: 'being-edited', kept: true }])
    t.equal(session!.key === lostKey, !isStored)
    await session!.edit('second')
    t.match(await session!.close(), { accepted: true })
    t.equal(await stored(), 'second')
    t.strictSame(forgotten(), [])
    t.strictSame(await recover(), [])
    t.equal((await listing()).length, 1, 'there is no conflict copy')
  })
}

for (const inMemory of [false, true]) {
  t.test(`a storage ${inMemory ? 'in memory' : 'of files'}: the process dies between storing and deleting, and the next one deletes`, async t => {
    const { httpClient, before } = watchedClient()
    const storage = inMemory ? memoryStorage() : fileStorage({ directory: t.testdir() })
    const service = await startAfterOutage(t, 'edited', { httpClient, storage })
    const { recover, documentServer, stored, forgotten, clock, origin } = service
    before('deleteForgotten 1', () => { throw new Error('the process died') })
    t.match(await recover(), [{ outcome: 'stored', kept: true }])
    const other = await startHost(t, { clock, documentServerOrigin: documentServer.url, publicBaseUrl: origin, storage })
    t.match(await other.app.editorServer.recoverForgotten(), [{ outcome: /stored/, kept: false }])
    t.equal(await stored(), 'edited')
    t.strictSame(forgotten(), [])
  })
}

t.test('the application closes during a run: what is stored is whole, and the rest stays', async t => {
  for (const step of ['info 1', 'getForgotten 1', 'file 1', 'info 3', 'file 2', 'deleteForgotten 1']) {
    const { httpClient, before } = watchedClient()
    const { recover, app, forgotten, stored } = await startAfterOutage(t, 'edited', { httpClient })
    let closed: Promise<unknown> | undefined
    before(step, () => { closed = app.close() })
    const results = await recover().catch((error: Error) => error.message)
    await closed
    if (typeof results === 'string') t.equal(results, 'The application is closing', step)
    else t.match(results, [{ outcome: 'stored', kept: forgotten().length > 0 }], step)
    t.strictSame([await stored(), forgotten()], typeof results === 'string' ? [OLD, ['edited']] : ['edited', results[0]!.kept ? ['edited'] : []])
  }
})

for (const step of ['getForgotten 1', 'file 1', 'info 2', 'info 3', 'getForgotten 2', 'file 2', 'deleteForgotten 1']) {
  t.test(`a refused save is opened and edited before ${step}: nothing is lost`, async t => {
    const { httpClient, before } = watchedClient()
    let isFull = true
    const storing = (storage: DocumentStore): DocumentStore => ({
      ...storage,
      async commit (...args) {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        return await storage.commit(...args)
      }
    })
    const { app, open, forgotten, listing, stored } = await startService(t, { httpClient, storing })
    const refused = await open()
    await refused.edit('first')
    await refused.close()
    isFull = false
    t.strictSame(forgotten(), ['first'])
    let session: Session | undefined
    before(step, async () => { session = await open() })
    t.match(await app.editorServer.recoverForgotten(), [{ outcome: /^(stored|being-edited)$/ }])
    await session!.edit(`${String(await session!.content())} and second`)
    t.match(await session!.close(), { accepted: true })
    t.equal(await stored(), 'first and second')
    t.equal((await listing()).length, 1, 'there is no conflict copy')
    await app.editorServer.recoverForgotten()
    t.strictSame(forgotten(), [])
  })
}

for (const method of ['snapshot', 'stage', 'commit'] as const) {
  t.test(`${method} of the storage never answers: the run ends, and the next one stores`, async t => {
    let isHanging = false
    const hang = () => isHanging && new Promise<never>(() => {})
    const storing = (storage: DocumentStore): DocumentStore => ({
      ...storage,
      [method]: async (...args: unknown[]) =>
        await (hang() || (storage[method] as (...args: unknown[]) => Promise<unknown>)(...args))
    })
    const { recover, stored, forgotten } = await startAfterOutage(t, 'edited', {
      storing,
      timeouts: { storage: 5000, ...(method === 'stage' && { total: 5000 }) }
    })
    isHanging = true
    t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: 'FST_EDITOR_STORAGE_TIMEOUT' } }])
    t.strictSame(forgotten(), ['edited'])
    isHanging = false
    t.match(await recover(), [{ outcome: 'stored', kept: false }])
    t.equal(await stored(), 'edited')
  })
}
