import t from 'tap'
import { createSigner } from 'fast-jwt'
import type { EditorConfig, UserConfig } from '../../lib/index.js'
import { type FakeHost, SECRET, sign as forged, startBoth } from '../support.js'

const sign = createSigner({ key: SECRET, noTimestamp: true })

t.test('a configuration is refused with the recorded codes unless its token signs the relevant fields', async t => {
  const { host, server } = await startBoth(t)
  const seconds = Math.floor(Date.now() / 1000)
  const document = { key: 'K', title: 'report.docx', fileType: 'docx', url: `${host.origin}/files/report.docx`, permissions: { edit: true, download: true } }
  const editorConfig = { callbackUrl: `${host.origin}/cb`, lang: 'en', mode: 'edit', user: { id: 'uid-1', name: 'John Smith' } }
  const config = { documentType: 'word', document, editorConfig }
  const without = <Thing extends object>(thing: Thing, name: keyof Thing) => ({ ...thing, [name]: undefined })

  const refusals: Array<[title: string, token: string | undefined, code: number | null, message: string]> = [
    ['no token', undefined, 4006, 'token:jwt must be provided'],
    ['wrong secret', createSigner({ key: 'another secret' })(config), 4006, 'token:invalid signature'],
    ['not a token', 'x.y.z', 4006, 'token:jwt malformed'],
    ['a number', 5 as unknown as string, 4006, 'token:jwt malformed'],
    ['no algorithm', createSigner({ algorithm: 'none' })(config), 4006, 'token:jwt malformed'],
    ['expired more than a minute ago', sign({ ...config, exp: seconds - 62 }), 4005, 'token:jwt expired'],
    ['{ payload: config }', sign({ payload: config }), 4006, 'token:'],
    ['no document.key', sign({ ...config, document: without(document, 'key') }), 4006, 'token:'],
    ['no document.url', sign({ ...config, document: without(document, 'url') }), 4006, 'token:'],
    ['no callbackUrl', sign({ ...config, editorConfig: without(editorConfig, 'callbackUrl') }), 4006, 'token:'],
    ['no mode', sign({ ...config, editorConfig: without(editorConfig, 'mode') }), 4006, 'token:'],
    ['no permissions', sign({ ...config, document: without(document, 'permissions') }), 4006, 'token:'],
    ['other permissions', sign({ ...config, document: { ...document, permissions: { edit: true, download: false } } }), 4004, 'access deny'],
    ['a top-level url', sign({ ...config, url: 'x' }), 4004, 'access deny'],
    ['a top-level key', sign({ ...config, key: 'x' }), 4004, 'access deny'],
    ['a top-level payload', sign({ ...config, payload: {} }), 4004, 'access deny'],
    ['a key with other characters', sign({ ...config, document: { ...document, key: 'a b' } }), 4004, 'access deny'],
    ['a key that is neither text nor number', sign({ ...config, document: { ...document, key: {} } }), 4004, 'access deny'],
    ['a callbackUrl of another scheme', sign({ ...config, editorConfig: { ...editorConfig, callbackUrl: 'ftp://127.0.0.1/cb' } }), 4007, 'drop'],
    ['nbf in the future', sign({ ...config, nbf: seconds + 120 }), null, 'token:jwt not active'],
    ['exp of the wrong type', forged({ ...config, exp: String(seconds + 300) }), 4006, 'token:invalid exp value'],
    ['nbf of the wrong type', forged({ ...config, nbf: '0' }), 4006, 'token:invalid nbf value']
  ]
  for (const [title, token, code, message] of refusals) {
    await t.rejects(server.open({ ...config, token }), { name: 'DocumentServerError', code, message }, title)
  }
  t.equal(host.received.length, 0, 'the application was not notified')

  const skewed = await server.open({ ...config, token: sign({ ...config, exp: seconds - 50 }) })
  t.equal((await skewed.close()).status, 4, 'a minute of clock skew is allowed')
})

/** A configuration and a token over all of it. */
function signed (config: EditorConfig): EditorConfig {
  const { token, ...claims } = config
  return { ...claims, token: sign(claims) }
}

function withUser (host: FakeHost, key: string, user: UserConfig | undefined): EditorConfig {
  const config = host.config(key, { name: 'notes.txt' })
  return signed({ ...config, editorConfig: { ...config.editorConfig, user } })
}

t.test('a numeric document.key is accepted', async t => {
  const { host, server } = await startBoth(t)
  const config = host.config('K')
  const session = await server.open(signed({ ...config, document: { ...config.document, key: 5 } }))
  t.equal(session.key, '5')
  t.match(await session.close(), { status: 4 })
})

t.test('a user who may comment, review or fill in forms is an editor, whatever permissions.edit says', async t => {
  const { host, server } = await startBoth(t)
  const open = async (key: string, permissions: object, mode = 'edit') => {
    const config = host.config(key, { name: 'notes.txt', mode })
    return await server.open(signed({ ...config, document: { ...config.document, permissions } }))
  }
  for (const right of ['comment', 'review', 'fillForms']) {
    const session = await open(right, { edit: false, [right]: true })
    t.notOk(session.viewOnly, right)
    await session.edit(right)
    t.match(await session.close(), { status: 2 }, right)
  }
  t.ok((await open('none', { edit: false })).viewOnly)
  t.ok((await open('others', { edit: false, comment: false, review: 'yes' })).viewOnly)
  t.ok((await open('view', { edit: false, comment: true }, 'view')).viewOnly, 'not in view mode')
  t.strictSame(host.statuses(), [1, 2, 1, 2, 1, 2])
})

t.test('user.id may be a number; without one the editor generates one; an empty one stays', async t => {
  const { host, server } = await startBoth(t)
  const numbered = await server.open(withUser(host, 'N', { id: 5, name: 'Ada' }))
  t.equal(numbered.userId, '5')
  t.match(host.callbacks(1).at(-1), { users: ['5'], actions: [{ type: 1, userid: '5' }] })
  await numbered.edit('changed')
  await numbered.close()
  t.match(host.callbacks(2).at(-1), { users: ['5'], history: { changes: [{ user: { id: '5', name: 'Ada' } }] } })
  for (const [index, user] of [undefined, {}, { id: null }].entries()) {
    const session = await server.open(withUser(host, `L${index}`, user))
    t.match(session.userId, /^uid-.+/)
    t.match(host.callbacks(1).at(-1), { users: [session.userId] })
  }
  t.equal((await server.open(withUser(host, 'E', { id: '', name: '' }))).userId, '')
  t.match(host.callbacks(1).at(-1), { users: [''], actions: [{ type: 1, userid: '' }] })
})

t.test('user fields missing in the token come from the configuration, and the page may restrict itself to view', async t => {
  const { host, server } = await startBoth(t)
  const { token, ...config } = host.config('K')
  const shown = async (given: UserConfig, user: UserConfig) => {
    const editorConfig = { ...config.editorConfig, user: given }
    const session = await server.open({ ...config, editorConfig, token: sign({ ...config, editorConfig: { ...editorConfig, user } }) })
    await session.close()
    return [session.userId, (await session.nextEvent('joined')).users.at(-1)!.name]
  }
  t.strictSame(await shown({ id: 'ada', name: 'Ada' }, { id: '', name: '' }), ['ada', 'Ada'])
  t.strictSame(await shown({ id: 'evil', name: 'Evil' }, { id: 'ada', name: 'Ada' }), ['ada', 'Ada'])
  t.strictSame(await shown({}, { id: 'ada', firstname: 'Ada', lastname: 'Lovelace' }), ['ada', 'Ada Lovelace'])
  t.strictSame(await shown({}, { id: 'ada', name: 'Ada', group: 'Office' }), ['ada', 'Office\u00a0Ada'])

  const { mode, ...withoutMode } = config.editorConfig!
  const viewing = await server.open({ ...config, token: sign({ ...config, editorConfig: withoutMode }), editorConfig: { ...withoutMode, mode: 'view' } })
  t.ok(viewing.viewOnly, 'view needs no signature')
})
