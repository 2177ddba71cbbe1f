import t from 'tap'
import type { CallbackEvent, SavedEvent } from '../../lib/index.js'
import { NEW, OLD, startEditing } from '../kit/editing.js'

t.test('onCallback: called for every authentic callback, with its fields unchanged', async t => {
  const told: CallbackEvent[] = []
  const editing = await startEditing(t, { onCallback: event => { told.push(event) } })
  const { fileId, url } = editing
  const history = { serverVersion: '9.3.0', changes: [{ created: '2026-11-20 15:12:59', user: { id: 'u1', name: 'John' } }] }
  const callbacks = [
    { key: editing.key, status: 1, users: ['u1', 'u2'], actions: [{ type: 1, userid: 'u2' }] },
    {
      key: editing.key,
      status: 6,
      url,
      changesurl: url.replaceAll('output.docx', 'changes.zip'),
      history,
      users: ['u1'],
      userdata: 'mine',
      forcesavetype: 0,
      encrypted: false,
      filetype: 'docx'
    },
    { key: editing.key, status: 7, users: ['u1'], lastsave: '2026-11-20T15:12:59.000Z', forcesavetype: 2 },
    { key: editing.key, status: 4, actions: [{ type: 0, userid: 'u1' }] },
    { key: editing.key, status: 5, mailMerge: { recordIndex: 1 } },
    { key: editing.key, status: 2, url, history, users: ['u1'], lastsave: '2026-11-20T15:12:59.000Z', notmodified: true, filetype: 'docx' },
    { key: editing.key, status: 99 }
  ]
  for (const callback of callbacks) t.equal(await editing.post(callback), 0)
  t.strictSame(told, callbacks.map(callback => ({ ...callback, fileId })))
})

t.test('onCallback is called before the save, onSaved once the save is durable', async t => {
  const order: string[] = []
  const editing = await startEditing(t, {
    serve (_request, response) {
      order.push('fetch')
      response.end(NEW)
    },
    async onCallback ({ fileId }) {
      await new Promise(resolve => setImmediate(resolve))
      order.push(`onCallback: ${await editing.storedText(fileId)}`)
    },
    async onSaved ({ fileId }) {
      order.push(`onSaved: ${await editing.storedText(fileId)}`)
      await new Promise(resolve => setImmediate(resolve))
      order.push('onSaved ended')
    }
  })
  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
  order.push('answer')
  t.strictSame(order, [`onCallback: ${OLD}`, 'fetch', `onSaved: ${NEW}`, 'onSaved ended', 'answer'])
})

t.test('onSaved: called for every save, with its fields', async t => {
  const told: SavedEvent[] = []
  const editing = await startEditing(t, { onSaved: event => { told.push(event) } })
  const { fileId, url } = editing
  for (const fields of [{ status: 6, url, users: ['u1'], userdata: 'mine' }, { status: 2, url, users: ['u2'] }, { status: 2, url }]) {
    const callback = { key: await editing.openedKey(), ...fields }
    t.equal(await editing.post(callback), 0)
    const { revision, size, fileType } = (await editing.storage.stat(fileId))!
    const { key, users, status } = { users: undefined, ...callback }
    const { id, ...event } = told.at(-1)!
    t.strictSame(event, { fileId, status, stored: { fileId, fileType, size, revision }, key, rule: 'stored', ...(users && { users }) })
    t.match(id, /^[\w-]{20,}$/)
    t.equal(size, NEW.length)
  }
  t.equal(new Set(told.map(({ id }) => id)).size, 3)
})

t.test('onSaved: not called when nothing was stored', async t => {
  const told: SavedEvent[] = []
  const editing = await startEditing(t, { onSaved: event => { told.push(event) }, serve: (_request, response) => response.writeHead(500).end() })
  for (const status of [0, 1, 2, 6, 3, 4, 7]) await editing.post({ key: editing.key, status, url: editing.url })
  await editing.post({ key: editing.key, status: 2 })
  await editing.post({ status: 2, url: editing.url }, 'absent')
  t.equal(editing.documentServer.requests.length, 2)
  t.strictSame(told, [])
})

const failures = {
  throws: () => { throw new Error('the listener failed') },
  rejects: async () => { throw new Error('the listener failed') },
  'never ends': () => new Promise<never>(() => {}),
  'throws nothing': () => { throw undefined } // eslint-disable-line no-throw-literal
}
for (const [name, listener] of Object.entries(failures)) {
  t.test(`onCallback and onSaved: a hook that ${name} does not change the answer or the save`, async t => {
    const editing = await startEditing(t, { onCallback: listener, onSaved: listener, timeouts: { hooks: 100 } })
    t.equal(await editing.post({ key: editing.key, status: 1 }), 0)
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
    t.equal(await editing.storedText(editing.fileId), NEW)
  })
}
