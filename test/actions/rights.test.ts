import t from 'tap'
import { allActions } from '../../lib/actions/routes.js'
import { NEEDS_OF_USERS } from '../../lib/actions/document.js'
import { mayUse, type Need } from '../../lib/control/defaults.js'
import type { ActionOptions, EditorControlDefaults } from '../../lib/index.js'
import { ADA, startPageHost } from '../kit/host.js'

const PAGES: Readonly<Record<string, EditorControlDefaults>> = {
  reader: { user: ADA, mode: 'view', permissions: { download: false } },
  commenter: { user: ADA, permissions: { edit: false, comment: true } },
  editor: { user: ADA }
}

const hooks: ActionOptions = {
  rename: () => {},
  saveAs: true,
  images: () => [],
  documents: () => [],
  spreadsheets: () => [],
  reference: () => null,
  users: () => [{ id: 'grace', name: 'Grace', email: 'grace@example.com' }],
  notify: () => {},
  sharing: () => [],
  favorite: () => {},
  create: () => ({ url: '/new' }),
  templates: () => []
}

const EDITORS = ['editor']
const COMMENTERS = ['commenter', 'editor']
const ALL = ['reader', 'commenter', 'editor']

type Row = readonly [what: string, action: string, body: object, allowed: readonly string[], need?: Need]

/** What the editor asks for, which pages may ask, and what they need if not what the action says. */
const ROWS: readonly Row[] = [
  ['a fresh configuration', 'config', { purpose: 'refresh' }, ALL],
  ['another hour for the page', 'renew', {}, ALL],
  ['`rename`', 'rename', { name: 'a' }, EDITORS],
  ['`saveAs`', 'saveAs', { url: 'http://127.0.0.1:9/cache/files/x', title: 'a', fileType: 'docx' }, COMMENTERS],
  ['`images`', 'images', { c: 'add' }, EDITORS],
  ['`documents`', 'documents', { c: 'compare' }, EDITORS],
  ['`spreadsheets`', 'spreadsheets', { c: 'mailmerge' }, EDITORS],
  ['`reference`', 'reference', { path: 'a.xlsx' }, ALL],
  ['`users`, pictures', 'users', { c: 'info', id: ['grace'] }, ALL, NEEDS_OF_USERS.info],
  ['`users` to mention', 'users', { c: 'mention' }, COMMENTERS, NEEDS_OF_USERS.mention],
  ['`users` to protect a range for', 'users', { c: 'protect' }, EDITORS, NEEDS_OF_USERS.protect],
  ['`users` to give a role in a form', 'users', { c: 'filler' }, EDITORS, NEEDS_OF_USERS.filler],
  ['`notify`', 'notify', { emails: ['a@b.c'], message: '' }, COMMENTERS],
  ['`sharing`', 'sharing', {}, EDITORS],
  ['`favorite`', 'favorite', { favorite: true }, ALL],
  ['`create`', 'create', {}, EDITORS],
  ['`templates`', 'templates', {}, EDITORS],
  ['whether the last save was stored', 'saveState', { key: 'a' }, COMMENTERS],
  ['the version history', 'history', {}, EDITORS],
  ['one version', 'historyData', { version: 1 }, EDITORS],
  ['restoring a version', 'restore', { version: 1 }, EDITORS]
]

t.test('a page may ask for what its control allows, and for nothing else', async t => {
  const host = await startPageHost(t, { actions: hooks, versions: {} })
  for (const [what, action, body, allowed, need = allActions.find(({ name }) => name === action)!.needs] of ROWS) {
    for (const [page, defaults] of Object.entries(PAGES)) {
      const { status } = await host.ask(action, body, { token: await host.tokenOf(defaults) })
      t.equal(status !== 403, allowed.includes(page), `${what} for the ${page}: status ${status}`)
      t.equal(mayUse(defaults, need), allowed.includes(page), `${what} is offered to the ${page}`)
    }
  }
})

t.test('readers see no mail address', async t => {
  const host = await startPageHost(t, { actions: hooks })
  for (const [page, email] of [['reader', undefined], ['commenter', 'grace@example.com']] as const) {
    const { body } = await host.ask('users', { c: 'info', id: ['grace'] }, { token: await host.tokenOf(PAGES[page]) })
    t.strictSame(body.users, [{ id: 'grace', name: 'Grace', ...(email && { email }) }])
  }
})

t.test('readers see the history if the option or their control says so, and only then is it offered', async t => {
  for (const [versions, history, isShown] of [[{}, undefined, false], [{}, true, true], [
    { for: 'readers' },
    undefined,
    true
  ], [{ for: 'readers' }, false, false]] as const) {
    const host = await startPageHost(t, { versions })
    const control = await host.app.editorControl({ mode: 'view', ...(history !== undefined && { history }) }).openDocument(host.fileId)
    t.equal((await host.ask('history', {}, { token: control.pageToken })).status, isShown ? 200 : 403)
    t.equal(/ data-actions="([^"]*)"/.exec(control.render())![1], isShown ? 'history historyData' : '')
    t.equal((await host.ask('restore', { version: 1 }, { token: control.pageToken })).status, 403)
    t.notOk('history' in control.config!.editorConfig!)
  }
  const editor = await startPageHost(t, { versions: {} })
  t.equal((await editor.ask('history', {}, { token: await editor.tokenOf({ history: false }) })).status, 403)
  t.throws(() => editor.app.editorControl({ history: 'yes' as never }), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('actions.editRights: an answer with which no control can be made gives no right, and the log says why', async t => {
  for (const [answer, problem] of [
    [{ permisions: { edit: false } }, /permisions/],
    [{ permissions: { edit: 'false' } }, /permissions\.edit must be true or false/],
    [{ mode: 'View' }, /mode/],
    [{ document: { key: 'other' } }, /document\.key/],
    [{ editorConfig: { callbackUrl: 'http://127.0.0.1/' } }, /editorConfig\.callbackUrl/]
  ] as const) {
    const host = await startPageHost(t, { actions: { editRights: () => answer as never } })
    const { status, body } = await host.ask('config', { purpose: 'edit' }, { token: await host.tokenOf(PAGES.reader) })
    t.equal(status, 500)
    t.notOk('config' in body)
    t.match(host.records().filter(({ level }) => level >= 50), [{ err: { message: problem } }])
  }
})

t.test('a field of a control that is undefined counts as not given', async t => {
  const host = await startPageHost(t)
  const opened = await host.app.editorControl(
    {
      mode: undefined,
      user: undefined,
      permissions: undefined,
      editorConfig: { mode: 'view', user: ADA },
      document: { permissions: { print: false } }
    } as never
  ).openDocument(host.fileId)
  t.match(opened.config, { editorConfig: { mode: 'view', user: ADA }, document: { permissions: { print: false } } })
  t.equal((await host.ask('config', { purpose: 'refresh' }, { token: opened.pageToken })).body.config.editorConfig.mode, 'view')
})
