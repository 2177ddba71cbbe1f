import t, { type Test } from 'tap'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

/** The answer to a command. */
const UNKNOWN_KEY = '{"error":1}'

/** A document server whose saved files say which request fetched them. */
async function startCounting (t: Test, options: EditingOptions = {}) {
  let fetched = 0
  const editing = await startEditing(t, { serve: ({ method }, response) => response.end(method === 'GET' ? `fetch ${++fetched}` : UNKNOWN_KEY), ...options })
  const { documentServer: { origin, requests }, post, storedText, fileId } = editing
  /** Posts a save; resolves to the answered error, the number of fetches and the content. */
  async function save (fields: { key?: string, status: 2 | 6, lastsave?: string }, path: string, query = '?md5=1&expires=1') {
    const error = await post({ ...fields, url: `${origin}${path}${query}` })
    return { error, fetches: requests.filter(path => !path.startsWith('/coauthoring/')).length, content: await storedText(fileId) }
  }
  return { ...editing, save }
}

for (const status of [2, 6] as const) {
  t.test(`a repeated save (${status}) is acknowledged without fetching anything`, async t => {
    const saved: unknown[] = []
    const { key, save, post, documentServer } = await startCounting(t, { onSaved: event => { saved.push(event) } })
    const stored = { error: 0, fetches: 1, content: 'fetch 1' }
    t.strictSame(await save({ key, status }, '/cache/K_1/output.docx'), stored)
    t.strictSame(await save({ key, status }, '/cache/K_1/output.docx'), stored, 'word for word')
    t.strictSame(await save({ key, status }, '/cache/K_1/output.docx', '?md5=2&expires=2&shardkey=x'), stored, 'with a new signature')
    t.equal(documentServer.requests.length, 1)
    t.equal(saved.length, 1, 'onSaved is told once')
    t.equal(await post({ key, status: 1 }), 0)
    t.strictSame(await save({ key, status }, '/cache/K_2/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' }, 'another path is another save')
    t.strictSame(await save({ key, status }, '/cache/K_1/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' }, 'an earlier one does not come back')
  })
}

t.test('a save of later changes is stored although its url has the path of an earlier one', async t => {
  const { key, save } = await startCounting(t)
  const earlier = { key, status: 6 as const, lastsave: '2026-11-20T16:12:26.000Z' }
  t.strictSame(await save(earlier, '/cache/K_1/output.docx'), { error: 0, fetches: 1, content: 'fetch 1' })
  t.strictSame(await save({ ...earlier, lastsave: '2026-11-20T16:12:31.000Z' }, '/cache/K_1/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' })
  t.strictSame(await save(earlier, '/cache/K_1/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' }, 'the earlier save is still recognized')
})

t.test('a save posted again while it is being stored is fetched once', async t => {
  const fetched = deferred()
  const repeated = deferred()
  let callbacks = 0
  const { key, save } = await startCounting(t, {
    onCallback: () => { if (++callbacks === 2) repeated.resolve() },
    async serve (_request, response) {
      fetched.resolve()
      await repeated.promise
      response.end('in full')
    }
  })
  const first = save({ key, status: 2 }, '/a')
  await fetched.promise
  const answers = await Promise.all([first, save({ key, status: 2 }, '/a', '?md5=2')])
  t.strictSame(answers, [{ error: 0, fetches: 1, content: 'in full' }, { error: 0, fetches: 1, content: 'in full' }])
})
