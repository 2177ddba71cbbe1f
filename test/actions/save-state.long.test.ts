// What a page learns of refused saves: the action `saveState`, and what the record keeps for it.
import type { RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { type EditorControlDefaults, memoryStorage } from '../../lib/index.js'
import { NEW, OLD, startEditing, startInstance } from '../kit/editing.js'
import { ADA, HANDLER, type Host } from '../kit/host.js'
import { answerWith } from '../kit/http.js'

const GOOD = { saved: true }

/** `since` is a time, `code` that of the plugin. */
const refused = (code?: string) => ({ saved: false, since: /^\d{4}-.*Z$/, code })

/** Seconds later, by the document server's clock. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()

interface Answer { readonly status: number, readonly body: Record<string, unknown> }

/** Asks as the page of a document does. */
async function asks (host: Host, fileId: string, body: unknown, defaults: EditorControlDefaults = { user: ADA }): Promise<Answer> {
  return await asksWith(host, (await host.app.editorControl(defaults).openDocument(fileId)).pageToken, body)
}

async function asksWith ({ origin }: Host, token: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${origin}${HANDLER}/actions/saveState`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': token },
    body: JSON.stringify(body)
  })
  const { pageToken, proxyToken, ...answer } = await response.json() as Record<string, unknown>
  return { status: response.status, body: answer }
}

/** A document server whose files can be fetched, or not. */
function faulty () {
  let isBroken = false
  const serve: RequestListener = (request, response) => {
    if (isBroken) response.writeHead(500).end()
    else answerWith(NEW)(request, response)
  }
  return { serve, break: () => { isBroken = true }, repair: () => { isBroken = false } }
}

async function startFaulty (t: Test, options: Parameters<typeof startEditing>[1] = {}) {
  const fault = faulty()
  const editing = await startEditing(t, { serve: fault.serve, ...options })
  const { key, fileId, url, post } = editing
  t.equal(await post({ status: 1, users: ['ada'] }), 0)
  return {
    ...editing,
    fault,
    /** A callback about a save. */
    saves: async (status: number, second: number, fields: object = {}) =>
      await post({ status, url: url.replace('output.docx', `output${second}.docx`), lastsave: at(second), users: ['ada'], ...fields }),
    state: async () => (await asks(editing, fileId, { key })).body
  }
}

t.test('a save that one instance has refused, another one reports, also one that starts later, until it is stored', async t => {
  const a = await startFaulty(t)
  const b = await startInstance(t, a, {})
  const { fileId, key, fault, saves } = a
  const ask = async (host: Host) => (await asks(host, fileId, { key })).body
  t.strictSame(await ask(b), GOOD)
  fault.break()
  t.equal(await saves(6, 1), 1)
  const state = await ask(b)
  t.match(state, refused('FST_EDITOR_UPSTREAM'))
  t.strictSame(await ask(a), state)
  await a.app.close()
  const c = await startInstance(t, a, {})
  t.strictSame(await ask(c), state)

  fault.repair()
  const repeat = { key, status: 6, url: a.url.replace('output.docx', 'output1.docx'), lastsave: at(1), users: ['ada'], encrypted: false }
  t.equal(await b.post(repeat), 0)
  t.strictSame(await ask(b), GOOD)
  t.strictSame(await ask(c), GOOD)
  t.equal(await c.storedText(fileId), NEW)
})

/** A sequence of callbacks, and what the page learns after them. `-`: the saved file can't be fetched. */
const SEQUENCES: ReadonlyArray<readonly [what: string, calls: ReadonlyArray<readonly [status: number, second: number, fields?: object]>, state: object]> = [
  ['a force save', [[6, 1]], GOOD],
  ['a refused force save', [[-6, 1]], refused('FST_EDITOR_UPSTREAM')],
  ['a later force save is stored', [[-6, 1], [6, 2]], GOOD],
  ['an earlier one is stored late', [[-6, 2], [6, 1]], refused('FST_EDITOR_UPSTREAM')],
  ['an earlier one is refused late', [[6, 2], [-6, 1]], GOOD],
  ['an earlier and a later one are refused, and the earlier one is stored', [[-6, 2], [-6, 1], [6, 1, { encrypted: false }]], refused('FST_EDITOR_UPSTREAM')],
  ['the final save is stored', [[-6, 1], [2, 2]], GOOD],
  ['the final save is refused', [[-2, 1]], refused('FST_EDITOR_UPSTREAM')],
  ['the final save is refused and repeated', [[-2, 1], [2, 1]], GOOD],
  ['users come back to what was refused', [[-2, 1], [1, 0]], refused('FST_EDITOR_UPSTREAM')],
  ['users come back, and save', [[-2, 1], [1, 0], [6, 2]], GOOD],
  ['everybody leaves without a save', [[-6, 1], [4, 0]], refused('FST_EDITOR_UPSTREAM')],
  ['after that another session begins under the same key', [[-6, 1], [4, 0], [1, 0]], GOOD],
  ['the document cannot be assembled', [[3, 1]], refused('FST_EDITOR_CORRUPTED_DOCUMENT')],
  ['a force save cannot be assembled', [[7, 1]], refused(undefined)],
  ['a force save after that can', [[7, 1], [6, 2]], GOOD],
  ['a final save without a file', [[2, 1, { url: undefined }]], refused('FST_EDITOR_INVALID_CALLBACK')]
]

t.test('what the page learns follows from the saves of its session', async t => {
  for (const [what, calls, expected] of SEQUENCES) {
    const { fault, saves, state } = await startFaulty(t, { memory: true })
    for (const [status, second, fields] of calls) {
      if (status < 0) fault.break()
      else fault.repair()
      await saves(Math.abs(status), second, fields)
    }
    t.match(await state(), expected, what)
  }
})

t.test('why the application rejected it, until a later save is refused for another reason or stored', async t => {
  let message = 'No names'
  const { fault, saves, state } = await startFaulty(t, { inspect: () => message === '' ? true : { reject: true, message } })
  for (const status of [6, 2]) {
    await saves(status, 1)
    t.match(await state(), { ...refused('FST_EDITOR_REJECTED'), message })
  }
  message = 'No numbers'
  await saves(2, 2)
  t.match(await state(), { saved: false, message })
  fault.break()
  await saves(2, 3)
  t.match(await state(), { ...refused('FST_EDITOR_UPSTREAM'), message: undefined })
  fault.repair()
  message = ''
  await saves(2, 4)
  t.strictSame(await state(), GOOD)
})

t.test('what the storage says is for the log, not for the page', async t => {
  const commit = async () => { throw Object.assign(new Error('EACCES: /srv/secret'), { code: 'EACCES' }) }
  const storage = { ...memoryStorage(), commit }
  const { saves, state } = await startFaulty(t, { memory: true, storage })
  t.equal(await saves(6, 1), 1)
  const answer = await state()
  t.match(answer, { saved: false })
  t.strictSame(Object.keys(answer), ['saved', 'since'])
})

t.test('a page learns only of its own document and session, and only if its user may change something', async t => {
  const { fault, saves, key, fileId, storage, ...host } = await startFaulty(t, { memory: true })
  const service = { ...host, storage }
  const other = (await storage.create('txt', Buffer.from(OLD))).fileId
  fault.break()
  await saves(6, 1)
  t.strictSame(await asks(service, other, { key, fileId }), { status: 200, body: GOOD }, 'the key of another document')
  for (const wrong of ['', 'other', '__proto__', 'constructor']) t.strictSame((await asks(service, fileId, { key: wrong })).body, GOOD, wrong)
  for (const wrong of [{}, { key: 7 }, { key: [key] }, { key: 'a'.repeat(256) }, { key: null }]) {
    t.match(await asks(service, fileId, wrong), { status: 400, body: { code: 'FST_EDITOR_INVALID_ACTION' } }, JSON.stringify(wrong))
  }
  const pages: ReadonlyArray<readonly [defaults: EditorControlDefaults, status: number]> = [
    [{ mode: 'view' }, 403],
    [{ type: 'embedded' }, 403],
    [{ permissions: { edit: false } }, 403],
    [{ mode: 'view', permissions: { comment: true } }, 403],
    [{ permissions: { edit: false, comment: true } }, 200],
    [{ permissions: { edit: false, review: true } }, 200],
    [{ permissions: { edit: false, fillForms: true } }, 200],
    [{ permissions: { comment: false } }, 200]
  ]
  for (const [defaults, status] of pages) t.match(await asks(service, fileId, { key }, { user: ADA, ...defaults }), { status }, JSON.stringify(defaults))

  const { pageToken } = await service.app.editorControl({ user: ADA }).openDocument(fileId)
  const answers = await Promise.all(Array.from({ length: 200 }, async () => await asksWith(service, pageToken, { key })))
  t.strictSame([...new Set(answers.map(({ status }) => status))].sort(), [200, 429])
})

t.test('an application that denies the action turns it off', async t => {
  const asked: string[] = []
  const { key, fileId, ...host } = await startFaulty(t, {
    memory: true,
    authorize ({ action }) {
      asked.push(action)
      return action === 'saveState' ? false : undefined
    }
  })
  t.match(await asks(host, fileId, { key }), { status: 403 })
  t.ok(asked.includes('saveState'))
})
