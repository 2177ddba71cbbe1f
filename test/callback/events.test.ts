import t from 'tap'
import type { CallbackEvent, SavedEvent } from '../../lib/index.js'
import { NEW, OLD, profiles, startEditing } from '../kit/editing.js'
import { savedAt } from '../kit/http.js'

for (const profile of profiles) {
  t.test(`onCallback: called for every authentic callback, with its fields unchanged (${profile})`, async t => {
    const told: CallbackEvent[] = []
    const editing = await startEditing(t, { profile, onCallback: event => { told.push(event) } })
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

  t.test(`onCallback: a field with a wrong type, or null, is treated as absent (${profile})`, async t => {
    const told: CallbackEvent[] = []
    const editing = await startEditing(t, { profile, onCallback: event => { told.push(event) } })
    const { fileId, key } = editing
    if (profile === 'classic') for (const odd of [5, '']) await editing.post({ status: 1, key: odd })
    t.strictSame(told.splice(0), profile === 'classic' ? [{ status: 1, fileId }, { status: 1, fileId }] : [])
    await editing.post({ status: 1, key, url: null, users: 'u1', userdata: {}, forcesavetype: '1', notmodified: null, filetype: '../x' })
    await editing.post({ status: 1, key, url: ' ', users: ['u1', 2], userdata: null, forcesavetype: 1.5, notmodified: 0, filetype: '' })
    await editing.post({ status: 1, key, filetype: 'DOCX' })
    t.strictSame(told, [{ status: 1, key, fileId }, { status: 1, key, fileId }, { status: 1, key, filetype: 'docx', fileId }])
  })

  t.test(`onCallback: called for a callback about a missing file, not for a malformed callback (${profile})`, async t => {
    const told: CallbackEvent[] = []
    const editing = await startEditing(t, { profile, onCallback: event => { told.push(event) } })
    await editing.post({ status: '2' })
    const key = editing.keyOf('absent')
    const url = savedAt(editing.documentServer.origin, key)
    await editing.post({ status: 2, key, url }, 'absent')
    t.strictSame(told, [{ status: 2, key, url, fileId: 'absent' }])
  })

  t.test(`onCallback is called before the save, onSaved once the save is durable (${profile})`, async t => {
    const order: string[] = []
    const editing = await startEditing(t, {
      profile,
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

  t.test(`onSaved: called for every save, with its fields (${profile})`, async t => {
    const told: SavedEvent[] = []
    const editing = await startEditing(t, { profile, onSaved: event => { told.push(event) } })
    const { fileId, url } = editing
    for (const fields of [{ status: 6, url, users: ['u1'], userdata: 'mine' }, { status: 2, url, users: ['u2'] }, { status: 2, url }]) {
      const callback = { key: await editing.openedKey(), ...fields }
      t.equal(await editing.post(callback), 0)
      const { revision, size, extension } = (await editing.storage.stat(fileId))!
      const { key, users, status } = { users: undefined, ...callback }
      const { id, ...event } = told.at(-1)!
      t.strictSame(event, { fileId, status, extension, size, revision, key, ...(users && { users }) })
      t.match(id, /^[\w-]{20,}$/)
      t.equal(size, NEW.length)
    }
    t.equal(new Set(told.map(({ id }) => id)).size, 3)
  })

  t.test(`onSaved: not called when nothing was stored (${profile})`, async t => {
    const told: SavedEvent[] = []
    const editing = await startEditing(t, { profile, onSaved: event => { told.push(event) }, serve: (_request, response) => response.writeHead(500).end() })
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
    t.test(`onCallback and onSaved: a hook that ${name} does not change the answer or the save (${profile})`, async t => {
      const editing = await startEditing(t, { profile, onCallback: listener, onSaved: listener, timeouts: { hooks: 100 } })
      t.equal(await editing.post({ key: editing.key, status: 1 }), 0)
      t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
      t.equal(await editing.storedText(editing.fileId), NEW)
    })
  }

  t.test(`onCallback: changing the event in a hook has no effect (${profile})`, async t => {
    const editing = await startEditing(t, {
      profile,
      onCallback: event => { Object.assign(event, { status: 1, url: 'http://127.0.0.1:9/', fileId: 'another' }) }
    })
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
    t.equal(await editing.storedText(editing.fileId), NEW)
  })
}
