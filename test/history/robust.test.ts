import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { memoryStorage } from '../../lib/index.js'
import { deferred } from '../helpers/deferred.js'
import { OLD } from '../integration/support.js'
import { ADA, GRACE, startHistorian } from './support.js'

t.test('no save is refused because of what the document server says about its changes', async t => {
  const { edit, contents, control } = await startHistorian(t)
  const wordy = { id: 'wordy', name: '王'.repeat(11_000) }
  for (const content of ['two', 'three', 'four']) await edit(content, wordy)
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three'], [4, 'four']])
  const { history } = await (await control()).history()
  t.match(history[3], { user: { id: 'wordy' }, changes: null })
})

t.test('a storage that never tells what it is about to publish keeps versions, too', async t => {
  const { edit, contents, control } = await startHistorian(t, {
    storing: storage => ({ ...storage, replace: async (fileId, content, { beforePublish, ...options } = {}) => await storage.replace(fileId, content, options) })
  })
  await edit('two')
  await edit('three', GRACE)
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three']])
  t.match((await (await control()).history()).history.map(({ user }) => user), [{ id: '' }, ADA, GRACE])
})

t.test('restore refuses a wrong timeout and signal', async t => {
  const { control, edit, open } = await startHistorian(t)
  await edit('two')
  await open()
  const opened = await control()
  for (const timeout of [NaN, -1, '5', null]) await t.rejects(opened.restore(1, { timeout: timeout as number, signal: AbortSignal.timeout(1000) }), { code: 'FST_EDITOR_INVALID_OPTION', message: /timeout/ }, String(timeout))
  await t.rejects(opened.restore(1, { signal: {} as AbortSignal }), { code: 'FST_EDITOR_INVALID_OPTION', message: /signal/ })
})

t.test('keeping may take longer than other calls, and what was given up is not published later', async t => {
  const gate = deferred()
  let slow = ''
  let late: Promise<unknown> | undefined
  const { edit, open, stored, contents } = await startHistorian(t, {
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
