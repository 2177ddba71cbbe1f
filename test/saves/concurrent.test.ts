import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { type EditingOptions, OLD, startEditing } from '../kit/editing.js'
import { deferred, holdTimers } from '../kit/time.js'

const PATHS = ['/1', '/2', '/3', '/4']
const contentOf = (path: string) => `content of ${path}`

t.test('concurrentSaves: so many saves are fetched at once; the others wait, in order, and are stored', async t => {
  const { editing, fileIds, answers, asked, release } = await startSaves(t, { concurrentSaves: 2 })
  const { requests } = editing.documentServer
  await Promise.all([asked('/1'), asked('/2')])
  t.strictSame(requests, ['/1', '/2'])
  t.equal(await editing.storedText(fileIds[2]!), OLD)

  await release('/1')
  t.equal(await answers[0], 0)
  await asked('/3')
  t.strictSame(requests, ['/1', '/2', '/3'])

  await Promise.all(['/2', '/3', '/4'].map(release))
  t.strictSame(await Promise.all(answers), [0, 0, 0, 0])
  t.strictSame(requests, PATHS)
  t.strictSame(await Promise.all(fileIds.map(editing.storedText)), PATHS.map(contentOf))
})

t.test('concurrentSaves: saves whose files do not arrive hold up the others for ten seconds at most', async t => {
  const timers = holdTimers(t, 10_000)
  const { editing, fileIds, answers, asked, release } = await startSaves(t, { concurrentSaves: 1 })
  await asked('/1')
  timers.pass()
  await release('/4')
  t.equal(await answers[3], 0)
  t.strictSame(await Promise.all(fileIds.map(editing.storedText)), [OLD, OLD, OLD, contentOf('/4')])
  await Promise.all(['/1', '/2', '/3'].map(release))
  await Promise.all(answers)
})

t.test('concurrentSaves: closing the app refuses the saves that wait when its time is up', async t => {
  const { editing, fileIds, answers, asked } = await startSaves(t, { concurrentSaves: 1, timeouts: { close: 100 } })
  await asked('/1')
  const closed = editing.app.close()
  t.strictSame(await Promise.all(answers), [1, 1, 1, 1])
  await closed
  t.strictSame(editing.documentServer.requests, ['/1'])
  t.strictSame(await Promise.all(fileIds.map(editing.storedText)), PATHS.map(() => OLD))
})

/** Saves of one file each, which arrive in order. What the document server sends for each of them is up to the test. */
async function startSaves (t: Test, options: EditingOptions) {
  const responses = new Map(PATHS.map(path => [path, deferred<ServerResponse>()]))
  const arrivals = new Map(PATHS.map(path => [path, deferred()]))
  const editing = await startEditing(t, {
    ...options,
    onCallback: ({ userdata }) => arrivals.get(userdata ?? '')?.resolve(),
    serve: (request, response) => responses.get(request.url!)!.resolve(response)
  })
  const asked = async (path: string) => await responses.get(path)!.promise

  const fileIds: string[] = []
  const answers: Array<Promise<unknown>> = []
  for (const path of PATHS) {
    const { fileId } = await editing.storage.create('txt', Buffer.from(OLD))
    fileIds.push(fileId)
    answers.push(editing.post({ key: await editing.openedKey(fileId), status: 2, url: editing.documentServer.origin + path, userdata: path }, fileId))
    await arrivals.get(path)!.promise
  }

  return {
    editing,
    /** In the order of the paths. */
    fileIds,
    answers,
    /** Resolves when the file of a save is asked for. */
    asked,
    async release (path: string) { (await asked(path)).end(contentOf(path)) }
  }
}
