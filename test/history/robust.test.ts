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

t.test('a save that was given up because keeping or publishing took too long is not published later', async t => {
  for (const method of ['keep', 'replace']) {
    const slow = deferred()
    const late: Promise<unknown>[] = []
    let isSlow = false
    const whenFast = async <Result> (name: string, call: () => Promise<Result>): Promise<Result> => {
      const result = isSlow && name === method ? slow.promise.then(call) : call()
      late.push(result.catch(() => {}))
      return await result
    }
    const { open, stored, contents } = await startHistorian(t, {
      timeouts: { storage: 100, total: 100 },
      storing: () => {
        const storage = memoryStorage()
        return {
          ...storage,
          replace: async (...args) => await whenFast('replace', async () => await storage.replace(...args)),
          versions: { ...storage.versions, keep: async (fileId, revision, { details } = {}) => await whenFast('keep', async () => await storage.versions.keep(fileId, revision, { details })) }
        }
      }
    })
    const session = await open()
    await session.edit('refused')
    isSlow = true
    t.match(await session.forceSave(), { accepted: false }, method)
    isSlow = false
    slow.resolve()
    await Promise.all(late)
    t.equal(await stored(), OLD, 'nothing is published after that')
    await session.edit('stored')
    t.match(await session.close(), { accepted: true })
    t.strictSame(await contents(), [[1, OLD], [2, 'stored']])
  }
})
