import { STATUS_CODES } from 'node:http'
import t from 'tap'
import type { ActionOptions, EditorControl, EditorControlDefaults } from '../../lib/index.js'
import { ADA, type ActionAnswer, startPageHost, tokens } from '../kit/host.js'

/** The claims that the document server reads. */
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

t.test('each action calls its hook with the page\'s file and user and the checked fields, and answers with the argument of the editor\'s method', async t => {
  const calls: Array<[string, object]> = []
  const note = <Result>(name: string, result: Result) => (action: object) => { calls.push([name, { ...action }]); return result }
  let other = ''
  const settings = [{ user: 'Grace', permissions: 'Read Only', isLink: false, secret: 'x' }, { user: 'Link', permissions: 'Full Access' }]
  let sharing: Awaited<ReturnType<NonNullable<ActionOptions['sharing']>>> = settings
  const host = await startPageHost(t, {
    actions: {
      images: note('images', [{
        title: 'Logo',
        fileType: 'PNG',
        url: 'http://app.example.com/logo.png',
        thumbnail: 'http://app.example.com/small.png'
      }]),
      documents: action =>
        note('documents', [{ title: 'Other', fileId: other }, { title: 'Deleted', fileId: 'deleted' }, {
          title: 'Bad',
          fileId: '../../etc/passwd'
        }])(action),
      spreadsheets: action =>
        note('spreadsheets', [
          { title: 'Orders.xlsx', fileId: other },
          { title: 'Elsewhere', fileType: 'csv', url: 'https://app.example.com/e.csv' }
        ])(action),
      reference: action =>
        note(
          'reference',
          action.path === 'missing.xlsx'
            ? null
            : { fileId: action.path === 'deleted.xlsx' ? 'deleted' : other, title: 'Orders.xlsx' }
        )(action),
      users: note('users', [{
        id: '8',
        name: 'Grace',
        email: 'grace@example.com',
        image: 'data:image/png;base64,AAAA',
        secret: 'x'
      }]),
      notify: note('notify', undefined),
      sharing: action => note('sharing', sharing)(action),
      favorite: note('favorite', undefined),
      create: note('create', { url: '/edit/new' }),
      page: ({ fileId }) => `/edit/${fileId}`
    }
  })
  other = (await host.storage.create('xlsx', Buffer.from('other'))).fileId
  const base = { fileId: host.fileId, user: ADA }
  async function asked (action: string, body: object): Promise<ActionAnswer['body']> {
    calls.length = 0
    const { status, body: answer } = await host.ask(action, { ...body, unknown: 1, fileId: 'x' })
    t.equal(status, 200, action)
    return answer
  }

  const { choices: [logo] } = await asked('images', { c: 'change', search: 'lo' })
  t.strictSame(calls, [['images', { ...base, search: 'lo' }]])
  const image = { c: 'change', images: [{ fileType: 'png', url: 'http://app.example.com/logo.png' }] }
  t.match(logo, { title: 'Logo', fileType: 'png', thumbnail: 'http://app.example.com/small.png', data: image })
  t.strictSame(claimsOf(logo.data.token), image, 'of the token only the claims count')
  t.equal(tokens.sign(image), logo.data.token, 'signed with the shared secret')

  const documents = await asked('documents', { c: 'combine' })
  t.strictSame(calls, [['documents', { ...base, purpose: 'combine' }]])
  t.equal(documents.choices.length, 1, 'files that do not exist are left out')
  t.match(documents.choices[0], { title: 'Other', fileType: 'xlsx', data: { c: 'combine', fileType: 'xlsx' } })
  t.equal(await (await fetch(claimsOf(documents.choices[0].data.token).url)).text(), 'other', 'the URL is signed for the file')

  const [recipients] = (await asked('spreadsheets', { c: 'mailmerge', search: '' })).choices
  t.strictSame(calls, [['spreadsheets', { ...base, purpose: 'mailmerge', search: '' }]])
  t.match(claimsOf(recipients.data.token), { c: 'mailmerge', fileType: 'xlsx', url: /action=download/ })
  const sources =
    (await asked('spreadsheets', { c: 'reference', path: 'Old.xlsx', referenceData: { fileKey: 'k' } })).choices
  t.strictSame(calls, [['spreadsheets', {
    ...base,
    purpose: 'reference',
    path: 'Old.xlsx',
    referenceData: { fileKey: 'k' }
  }]])
  t.match(claimsOf(sources[0].data.token), {
    fileType: 'xlsx',
    path: 'Orders.xlsx',
    url: /action=download/,
    key: String,
    referenceData: { fileKey: other, instanceId: `${host.origin}/Controls/Editor/EditorHandler.ashx` }
  })
  t.strictSame(claimsOf(sources[1].data.token), {
    fileType: 'csv',
    path: 'Elsewhere',
    url: 'https://app.example.com/e.csv'
  })

  const linked = await asked('reference', { path: 'Orders.xlsx', link: 'http://x/', referenceData: { fileKey: 'k', instanceId: 'i', key: 'x' } })
  t.strictSame(calls, [['reference', { ...base, path: 'Orders.xlsx', link: 'http://x/', referenceData: { fileKey: 'k', instanceId: 'i' } }]])
  const { token, page, ...data } = linked
  t.strictSame(claimsOf(token), data)
  t.equal(page, `/edit/${other}`)
  const { documentKey } = await host.app.editorControl().openDocument(other)
  t.match(data, { fileType: 'xlsx', key: documentKey, path: 'Orders.xlsx', referenceData: { fileKey: other } }, 'with the key under which it is edited')
  for (const path of ['missing.xlsx', 'deleted.xlsx']) t.strictSame(await asked('reference', { path }), { error: 'The linked file was not found' })
  const config = (await host.app.editorControl().openDocument(host.fileId)).config!
  t.equal(config.document.referenceData?.fileKey, host.fileId, 'so that cells can be copied as links')
  t.strictSame(config.document.info, {}, 'the editor crashes without it, where it asks for sharing settings')

  t.strictSame(await asked('users', { c: 'info', id: ['8'] }), {
    c: 'info',
    users: [{ id: '8', name: 'Grace', email: 'grace@example.com', image: 'data:image/png;base64,AAAA' }]
  })
  t.strictSame(calls, [['users', { ...base, kind: 'info', ids: ['8'] }]])
  await asked('users', { c: 'info', id: ['', '8', ' '] })
  t.strictSame(calls, [['users', { ...base, kind: 'info', ids: ['8'] }]], 'an empty id is that of an unknown author')
  t.strictSame(await asked('users', { c: 'info', id: [''] }), { c: 'info', users: [] })
  t.strictSame(calls, [])
  await asked('users', { c: 'filler', search: 'gr' })
  t.strictSame(calls, [['users', { ...base, kind: 'filler', search: 'gr' }]], 'who may be given a role in a form')
  await asked('users', { c: 'mention', from: 0, count: 100, search: 'gr' })
  t.strictSame(calls, [['users', { ...base, kind: 'mention', search: 'gr', from: 0, count: 100 }]])

  const actionLink = { action: { type: 'comment', data: 'c1', more: 'x' }, more: 'x' }
  const event = { emails: ['grace@example.com'], message: 'Look', actionId: 'c1', actionLink, link: 'https://evil.example.com/' }
  t.strictSame(await asked('notify', event), {})
  const link = `${host.origin}/edit/${host.fileId}?action-link=${encodeURIComponent('{"action":{"type":"comment","data":"c1"}}')}`
  t.strictSame(calls, [['notify', { ...base, emails: ['grace@example.com'], message: 'Look', link }]])

  const sharingSettings = [{ user: 'Grace', permissions: 'Read Only', isLink: false }, { user: 'Link', permissions: 'Full Access' }]
  t.strictSame(await asked('sharing', {}), { sharingSettings })
  sharing = { settings, url: '/rights' }
  t.strictSame(await asked('sharing', {}), { sharingSettings, url: '/rights' })
  sharing = { url: 'https://app.example.com/rights' }
  t.strictSame(await asked('sharing', {}), sharing)
  calls.length = 0
  const { tokens: { pageToken } } = await host.ask('favorite', { favorite: true })
  t.strictSame(calls, [['favorite', { ...base, favorite: true }]])
  const fresh = await host.ask('config', { purpose: 'reopen' }, { token: pageToken })
  t.equal(fresh.body.config.document.info.favorite, true, 'also for an editor that replaces this one')
  t.strictSame(await asked('create', { fileType: 'DOCX', lang: 'pt-BR' }), { url: '/edit/new' })
  t.strictSame(calls, [['create', { ...base, fileType: 'docx', lang: 'pt-BR' }]])

  const wrong: Record<string, unknown[]> = {
    images: [{}, { c: 'drop' }, { c: 'forcesave' }, { c: ['add'] }, { c: 'add', search: 'x'.repeat(201) }],
    documents: [{ c: 'add' }, { c: '__proto__' }],
    spreadsheets: [{ c: 'compare' }],
    reference: [{}, { path: '' }, { path: 'x'.repeat(4001) }, { referenceData: 'k' }, { link: 7 }],
    users: [
      { c: 'all' },
      { c: 'info', id: '8' },
      { c: 'info', id: new Array(1001).fill('8') },
      { c: 'mention', from: -1 },
      { c: 'mention', count: 0 },
      { c: 'mention', count: 1e9 },
      { c: 'mention', from: 0.5 }
    ],
    notify: [
      { emails: [], message: '' },
      { emails: 'a@b', message: '' },
      { emails: ['a'], message: '' },
      { emails: ['a@b\r\nBcc: c@d'], message: '' },
      { emails: ['a@b, c@d'], message: '' },
      { emails: ['<a@b>'], message: '' },
      { emails: new Array(101).fill('a@b'), message: '' },
      { emails: ['a@b'], message: 'x'.repeat(10_001) },
      { emails: ['a@b'], message: '', actionLink: 'x' }
    ],
    favorite: [{}, { favorite: 'true' }, { favorite: 1 }],
    create: [{ fileType: '../docx' }, { fileType: '' }, { lang: 'de_DE;' }, { lang: '<' }],
    config: [{}, { purpose: 'admin' }, { purpose: 'refresh', actionLink: { action: 'x' } }, {
      purpose: 'refresh',
      actionLink: { action: { type: 'bookmark', data: 'x'.repeat(4001) } }
    }]
  }
  calls.length = 0
  for (const [action, bodies] of Object.entries(wrong)) {
    for (const body of bodies) {
      t.match(
        await host.ask(action, body),
        { status: 400, body: { code: 'FST_EDITOR_INVALID_ACTION' } },
        `${action} ${JSON.stringify(body).slice(0, 100)}`
      )
    }
  }
  t.strictSame(calls, [])
})

t.test('a hook that fails, is slow or returns what cannot be used fails the request: the log says why, the page does not learn it', async t => {
  let result: unknown
  const run = (): any => typeof result === 'function' ? result() : result
  const hooks = {
    images: run,
    documents: run,
    reference: run,
    users: run,
    sharing: run,
    editRights: run,
    create: run,
    templates: run,
    notify: run,
    title: run,
    page: run,
    rename: run
  } satisfies ActionOptions
  const host = await startPageHost(t, { actions: hooks, timeouts: { hooks: 100 } })
  const bodies = {
    images: { c: 'add' },
    documents: { c: 'compare' },
    reference: { path: 'x' },
    users: { c: 'info' },
    sharing: {},
    create: {},
    templates: {},
    notify: { emails: ['a@b'], message: '' },
    config: { purpose: 'edit' },
    rename: { name: 'a' }
  }
  async function expectFailure (
    action: keyof typeof bodies,
    message: RegExp,
    status = 500,
    code = 'FST_EDITOR_ACTION_FAILED'
  ) {
    const before = host.records().length
    const answer = await host.ask(action, bodies[action])
    t.strictSame({ status: answer.status, ...answer.body }, {
      status,
      statusCode: status,
      code,
      error: STATUS_CODES[status],
      message: status < 500 ? 'The application refused.' : 'The application failed. Its log says why.'
    }, action)
    t.match(host.records().slice(before).map(({ err }) => err?.message ?? '').join(), message)
  }
  const fail = (fields: object = {}) => () => { throw Object.assign(new Error('password=1234'), fields) }

  for (const action of Object.keys(bodies) as Array<keyof typeof bodies>) {
    result = fail()
    await expectFailure(action, /The hook actions\.\w+ failed/)
  }
  result = fail({ statusCode: 409 })
  await expectFailure('rename', /actions\.rename failed/, 409)
  for (const statusCode of [200, 302, 503, '404', 404.5, NaN]) {
    result = fail({ statusCode })
    await expectFailure('rename', /actions\.rename failed/)
  }
  result = () => { throw null } // eslint-disable-line no-throw-literal -- a hook may
  await expectFailure('rename', /actions\.rename failed/)
  result = () => new Promise(() => {})
  await expectFailure('users', /actions\.users did not finish within 100 ms/, 503, 'FST_EDITOR_HOOK_TIMEOUT')

  const unusable: Array<[keyof typeof bodies, unknown[]]> = [
    ['images', [
      undefined,
      {},
      [{}],
      [{ name: 'x' }],
      [{ name: '', fileId: 'x' }],
      [{ name: 'x', fileType: 'png', url: 'file:///etc/passwd' }],
      [{ name: 'x', fileType: 'png', url: 'javascript:alert(1)' }],
      [{ name: 'x', fileType: 'png', url: '/x.png' }],
      [{ name: 'x', fileType: 'p/g', url: 'http://x/' }],
      [{ name: 'x', fileId: 'x', thumbnail: 'data:text/html,x' }]
    ]],
    ['documents', [[null], 'x', [{ name: 'x', fileId: 7 }]]],
    ['reference', [undefined, 'x', { fileId: 'x' }, { name: 'x' }]],
    ['users', [
      undefined,
      [{ id: 7, name: 'x' }],
      [{ id: '7' }],
      [{ id: '7', name: 'x', image: 'javascript:alert(1)' }],
      [{ id: '7', name: 'x', image: 'data:text/html,<script>' }]
    ]],
    ['sharing', [
      undefined,
      {},
      { settings: 'x' },
      { url: 'javascript:alert(1)' },
      { settings: [], url: 'data:text/html,x' },
      { url: '/x', settings: [{ user: 'x' }] },
      { url: '//evil.example.com' },
      [{ user: 'x' }],
      [{ user: 'x', permissions: 'x', isLink: 'yes' }]
    ]],
    ['create', [
      undefined,
      {},
      { url: 'javascript:alert(1)' },
      { url: '//evil.example.com' },
      { url: '/\\evil.example.com' },
      { url: '/\t/evil.example.com' },
      { url: '/\n/evil.example.com' },
      { url: '///evil.example.com' },
      { url: 'edit' }
    ]],
    ['templates', [
      undefined,
      {},
      [{ id: '', name: 'x' }],
      [{ id: 7, name: 'x' }],
      [{ id: 'x' }],
      [{ id: 'x'.repeat(1001), name: 'x' }],
      [{ id: 'x', name: 'x', thumbnail: 'javascript:alert(1)' }]
    ]],
    ['config', [undefined, null, 'yes', 1]]
  ]
  for (const [action, results] of unusable) {
    for (result of results) await expectFailure(action, /returned something other than/)
  }
})

t.test('without the hook page, a notification links to the page that asks for it, if that is of the application, and to nothing else', async t => {
  const links: Array<string | undefined> = []
  const host = await startPageHost(t, { actions: { notify: ({ link }) => { links.push(link) } }, publicBaseUrl: 'https://app.example.com/office' })
  const { origin } = host
  for (const link of [
    'https://app.example.com/edit/1?x=1#top', 'http://app.example.com/edit', 'https://app.example.com/edit',
    `${origin}/edit`, 'https://evil.example.com/', 'https://app.example.com.evil.example.com/',
    'javascript://app.example.com/%0aalert(1)', 'https://user:password@app.example.com/', '/edit', 'x', undefined
  ]) {
    t.equal((await host.ask('notify', { emails: ['a@b'], message: '', link })).status, 200)
  }
  t.strictSame(links, [
    'https://app.example.com/edit/1?x=1', 'http://app.example.com/edit', 'https://app.example.com/edit', undefined,
    undefined, undefined, undefined, 'https://app.example.com/', undefined, undefined, undefined
  ])
})

t.test('a fresh configuration is what the page would have if it was made now, and brings fresh tokens', async t => {
  let now = Date.UTC(2026, 0, 1)
  let name: string | undefined
  let rights: unknown = true
  const host = await startPageHost(t, {
    clock: { now: () => now },
    pageTokenLifetime: 86_400_000,
    actions: { title: () => name, editRights: () => rights as boolean }
  })
  const defaults = {
    user: ADA,
    editorConfig: { lang: 'de' as const, customization: { zoom: 50 } },
    permissions: { edit: false, print: false },
    mode: 'view' as const
  }
  const token = await host.tokenOf(defaults)
  const ask = async (body: object, withToken = token) => {
    const answer = await host.ask('config', body, { token: withToken })
    return { ...answer.body, ...answer.tokens } as Record<string, any>
  }

  now += 60_000
  const { fileId } = host
  await host.storage.replace(fileId, Buffer.from('PK\u0003\u0004 changed'))
  const fresh = await ask({ purpose: 'refresh' })
  const control = await host.app.editorControl(defaults).openDocument(fileId, { title: 'Report.docx' })
  t.strictSame(fresh.config, JSON.parse(control.configJson))
  t.equal(fresh.config.document.key, control.documentKey, 'with the key of the present content')
  t.strictSame(fresh.actions, 'editRights')
  t.equal((await host.ask('config', { purpose: 'refresh' }, { token: fresh.pageToken })).status, 200)
  const proxied = await fetch(host.handler({ action: 'proxy', fileId, url: 'http://127.0.0.1:9/cache/files/x' }), {
    headers: { 'x-editor-proxy-token': fresh.proxyToken }
  })
  t.equal(proxied.status, 502, 'its proxy token lets the page use the proxy')

  const actionLink = { action: { type: 'bookmark', data: 'top' } }
  const linked = await ask({ purpose: 'reopen', actionLink: { ...actionLink, more: 1 } })
  t.strictSame(linked.config.editorConfig.actionLink, actionLink)
  t.notOk('actionLink' in (await ask({ purpose: 'refresh' }, linked.pageToken)).config.editorConfig, 'only once')

  name = 'Minutes.docx'
  const renamed = await ask({ purpose: 'refresh' })
  t.equal(renamed.config.document.title, 'Minutes.docx')
  name = undefined
  t.equal((await ask({ purpose: 'refresh' }, renamed.pageToken)).config.document.title, 'Minutes.docx', 'the new token has the name')

  const editing = await ask({ purpose: 'edit' })
  t.match(editing.config, { document: { permissions: { edit: true, print: false } }, editorConfig: { mode: 'edit', user: ADA, lang: 'de' } })
  t.equal((await ask({ purpose: 'refresh' }, editing.pageToken)).config.editorConfig.mode, 'edit', 'the new page may edit from now on')
  rights = { permissions: { edit: false, comment: true }, editorConfig: { customization: { compactHeader: true } } }
  const commenting = await ask({ purpose: 'edit' })
  t.strictSame(commenting.config.document.permissions, { edit: false, print: false, comment: true })
  t.match(commenting.config.editorConfig, { mode: 'edit', customization: { zoom: 50, compactHeader: true } })
  rights = false
  t.match(await host.ask('config', { purpose: 'edit' }, { token }), { status: 403, body: { code: 'FST_EDITOR_FORBIDDEN' } })

  now += 86_400_000 - 60_000 - 1000
  const last = await ask({ purpose: 'refresh' }, fresh.pageToken)
  now += 2000
  t.equal((await host.ask('config', { purpose: 'refresh' }, { token })).status, 401)
  t.equal((await host.ask('config', { purpose: 'refresh' }, { token: last.pageToken })).status, 200, 'a page in use goes on')
  await host.storage.remove!(fileId)
  now -= 2000
  t.match(await host.ask('config', { purpose: 'refresh' }, { token }), { status: 404, body: { code: 'FST_EDITOR_FILE_NOT_FOUND' } })
})

t.test('a page has no token if its configuration could not be made again: another key, URL or callback URL, no stored document, or too many defaults', async t => {
  const host = await startPageHost(t)
  const open = async (defaults: EditorControlDefaults = {}): Promise<EditorControl> => await host.app.editorControl(defaults).openDocument(host.fileId)
  t.equal(host.app.editorControl().pageToken, '')
  for (const change of [{ documentKey: 'mine' }, { documentUrl: 'http://app.example.com/x' }, {
    callbackUrl: 'http://app.example.com/callback'
  }]) {
    const control: EditorControl = Object.assign(await open(), change)
    t.equal(control.pageToken, '', Object.keys(change).join())
    t.notMatch(control.render(), /data-page-token|data-actions/)
  }
  t.equal(Object.assign(await open(), { documentName: ' ' }).pageToken, '')
  const named = Object.assign(await open(), { documentName: 'Minutes.docx' })
  t.match(await host.ask('config', { purpose: 'refresh' }, { token: named.pageToken }), {
    status: 200,
    body: { config: { document: { title: 'Minutes.docx' } } }
  })

  const many = Array.from(
    { length: 400 },
    (_, index) => ({
      title: `${index} ${Math.sin(index)}`,
      url: `https://app.example.com/${Math.cos(index)}`,
      folder: 'x'
    })
  )
  t.equal((await open({ editorConfig: { recent: many } })).pageToken, '')
  t.equal((await open({ editorConfig: { user: { name: 'x'.repeat(2 ** 20) } } })).pageToken, '')
  t.equal((await host.ask('config', { purpose: 'refresh' }, { token: (await open({ editorConfig: { recent: many.slice(0, 50) } })).pageToken })).status, 200)
})
