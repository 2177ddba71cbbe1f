import { randomBytes } from 'node:crypto'
import t from 'tap'
import { type EditorControlDefaults, memoryStorage } from '../../lib/index.js'
import { similarTitle, typedName } from '../../lib/security/names.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { HANDLER, startPageHost } from '../kit/host.js'
import { send } from '../kit/http.js'

t.test('an error of a storage or an application hook is answered with an error status, whatever its statusCode, and its message stays in the log', async t => {
  let statusCode: unknown
  let thrown: unknown = new Error('bucket=secret')
  const fail = (): never => { throw thrown instanceof Error ? Object.assign(thrown, { statusCode }) : thrown }
  const memory = memoryStorage()
  const storage: DocumentStore = {
    ...memory,
    stat: async fileId => statusCode === undefined ? await memory.stat(fileId) : fail(),
    snapshot: async fileId => statusCode === undefined ? await memory.snapshot(fileId) : fail(),
    read: async (...args) => statusCode === undefined ? await memory.read(...args) : fail()
  }
  const host = await startPageHost(t, { storage, actions: { rename: () => {} } })
  const token = await host.tokenOf()
  const url = host.urls.download(host.fileId)
  for (const [given, status] of [
    [200, 500],
    [204, 500],
    [301, 500],
    [304, 500],
    [0, 500],
    [1000, 500],
    [404.5, 500],
    ['404', 500],
    [NaN, 500],
    [503, 503],
    [403, 403]
  ] as const) {
    statusCode = given
    for (const action of ['rename', 'config']) {
      const answer = await host.ask(action, { name: 'Minutes', purpose: 'refresh' }, { token })
      t.match(answer, { status, body: { code: 'FST_EDITOR_ACTION_FAILED', message: /^The application (failed|refused)\./ } }, `${action} ${String(given)}`)
    }
    if (status === 500) t.equal((await fetch(url)).status, 500, `download ${String(given)}: nobody takes the message for the document`)
  }
  t.match(host.logText(), /bucket=secret/)

  for (thrown of [null, undefined, 'text', 7]) {
    t.match(await host.ask('rename', { name: 'Minutes' }, { token }), { status: 500, body: { code: 'FST_EDITOR_ACTION_FAILED' } }, String(thrown))
    t.equal((await fetch(url)).status, 500, String(thrown))
  }
})

t.test('no picture and no number of groups in a control takes an action from its page, nor lets it do more', async t => {
  const picture = `data:image/png;base64,${randomBytes(20_000).toString('base64')}`
  const groups = Array.from({ length: 2000 }, () => randomBytes(9).toString('hex'))
  const user = { id: 'ada', name: 'Ada' }
  const told: unknown[] = []
  const host = await startPageHost(t, {
    actions: { rename: ({ user }) => { told.push(user) } },
    authorize: target => { if ('user' in target) told.push(target.user) }
  })
  const heavy: ReadonlyArray<readonly [defaults: EditorControlDefaults, leftOut: string[]]> = [
    [{ user: { ...user, image: picture } }, ['user.image']],
    [{ user: { ...user, group: groups.join() } }, ['user.group']],
    [{ user: { ...user, groups } as typeof user }, ['user.groups']],
    [{ user: { ...user, image: picture.repeat(50) } }, ['user.image']],
    [{ user, permissions: { edit: true, reviewGroups: groups } }, ['permissions.reviewGroups']]
  ]
  for (const [defaults, leftOut] of heavy) {
    told.length = 0
    const control = await host.app.editorControl(defaults).openDocument(host.fileId, { title: 'Report.docx' })
    t.match(control.render(), /data-actions="[^"]*rename/, leftOut.join())
    const token = control.pageToken
    t.ok(token !== '' && token.length <= 8000)
    t.match(host.records().at(-1), { level: 40, fileId: host.fileId, leftOut })
    t.match(await host.ask('rename', { name: 'Minutes' }, { token }), { status: 200 })
    t.strictSame(told, [user, user], 'its id and name stay')
    const { status, body } = await host.ask('config', { purpose: 'refresh' }, { token })
    t.equal(status, 200)
    if (defaults.permissions) t.match(body, { config: { document: { permissions: { edit: true, reviewGroups: [] } } } })
  }

  t.equal(await host.tokenOf({ user, customization: { logo: { image: picture } } }), '')
  t.match(host.records().at(-1), { level: 50, msg: /^the token of a page is too long/ }, 'not without a word')

  const small = { ...user, image: 'https://example.com/ada.png', group: 'Sales' }
  const { body } = await host.ask('config', { purpose: 'refresh' }, { token: await host.tokenOf({ user: small }) })
  t.match(body, { config: { editorConfig: { user: small } } })
})

t.test('names have at most 255 bytes and something to see', async t => {
  for (const [title, extension] of [
    [`con.${'x'.repeat(300)}`, 'docx'],
    [`NUL .${'é'.repeat(300)}`, 'pdf'],
    ['x'.repeat(300), 'docx'],
    ['.', 'txt'],
    ['\u200b\u2060', 'txt']
  ] as const) {
    const name = similarTitle(title, extension)
    t.ok(Buffer.byteLength(name) <= 255, name)
    t.match(name, /[\w].*\.\w+$/)
  }
  for (const name of ['\u200b', '\u200d\u2060', '\u00ad', '\u034f', '\u{e0041}', 'a\u0000']) t.ok(typedName(name, 'docx').problem, JSON.stringify(name))
  for (const name of ['é', '日本', '👩‍💻', '-', 'क्षि']) t.equal(typedName(name, 'docx').name, name)
})

t.test('a notification never links to another site, whatever host the request names', async t => {
  const links: Array<string | undefined> = []
  const host = await startPageHost(t, { actions: { notify: ({ link }) => { links.push(link) } }, server: { trustProxy: true } })
  const token = await host.tokenOf()
  for (const headers of [{ host: 'evil.example.com' }, { 'x-forwarded-host': 'evil.example.com' }]) {
    const { status } = await send(`${host.origin}${HANDLER}/actions/notify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': token, ...headers },
      body: JSON.stringify({ emails: ['grace@example.com'], message: '', link: 'https://evil.example.com/login' })
    })
    t.equal(status, 200)
  }
  t.strictSame(links, [undefined, undefined])
})
