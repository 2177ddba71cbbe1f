import t from 'tap'
import { type ServerCommand, InvalidOptionError } from '../../lib/index.js'
import { claimsOf } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'
import { startService } from '../kit/sessions.js'

t.test('version, license and health', async t => {
  const { app: { editorServer }, documentServer } = await startService(t, { emulated: { version: '8.3.1.21' } })
  t.equal(await editorServer.healthcheck(), true)
  t.equal(await editorServer.version(), '8.3.1.21')
  t.match(await editorServer.license(), { license: { connections: Number }, server: { buildVersion: '8.3.1' }, quota: { users: [] } })
  documentServer.fault('healthcheck', { type: 'answer', status: 200, body: 'false' })
  t.equal(await editorServer.healthcheck(), false)
})

t.test('every command is signed in its body and its header, and names its key as shardkey', async t => {
  const { app: { editorServer }, documentServer, open } = await startService(t)
  const session = await open()
  const { key } = session
  const commands: ServerCommand[] = [
    { c: 'version' },
    { c: 'license' },
    { c: 'getForgottenList' },
    { c: 'info', key, userdata: 'asked' },
    { c: 'meta', key, meta: { title: 'Renamed.txt' } },
    { c: 'drop', key, users: ['nobody'] }
  ]
  for (const command of commands) {
    t.notOk('error' in await editorServer.command(command), command.c)
    const { url, body, headers } = documentServer.receivedRequests.filter(({ url }) => url.startsWith('/coauthoring/CommandService.ashx')).at(-1)!
    const { token, ...fields } = body as { token: string }
    t.strictSame(fields, command)
    t.strictSame(claimsOf(token), { ...command, operation: 'command' }, 'the body token has flat claims, and one for its purpose')
    t.strictSame(claimsOf(String(headers.authorization).replace('Bearer ', '')), { payload: command, operation: 'command' })
    t.equal(new URL(url, documentServer.url).searchParams.get('shardkey'), 'key' in command ? command.key : null)
  }
  await session.nextEvent('renamed')
  await session.close()
})

t.test('info: who is editing, after a callback with the userdata', async t => {
  const { app: { editorServer }, open, callbacks, keys, fileId } = await startService(t)
  const ada = await open({ user: { id: 'ada' } })
  const bob = await open({ user: { id: 'bob' } })
  t.strictSame(await editorServer.command({ c: 'info', key: ada.key, userdata: 'who?' }), { key: ada.key, users: ['ada', 'bob'] })
  t.match(callbacks.at(-1), { status: 1, users: ['ada', 'bob'], userdata: 'who?' })
  await ada.close()
  await bob.close()
  const key = keys.of({ fileId, revision: 'never opened' })
  await t.rejects(editorServer.command({ c: 'info', key }), { code: 'FST_EDITOR_COMMAND_FAILED', serverCode: 1, message: /it does not know the document key/ })
})

t.test('drop makes the named users leave, or all', async t => {
  const { app: { editorServer }, open } = await startService(t)
  const ada = await open({ user: { id: 'ada' } })
  const bob = await open({ user: { id: 'bob' } })
  const { key } = ada
  await editorServer.command({ c: 'drop', key, users: ['bob'] })
  await bob.nextEvent('dropped')
  await editorServer.command({ c: 'drop', key })
  await ada.nextEvent('dropped')
  await Promise.all([ada.close(), bob.close()])
})

t.test('drop with users that are no list of user IDs is refused, and an empty list is nobody', async t => {
  const { app: { editorServer }, documentServer, open } = await startService(t)
  const ada = await open({ user: { id: 'ada' } })
  const { key } = ada
  const before = documentServer.receivedRequests.length
  const wrong = [
    '',
    'ada',
    '["ada"]',
    0,
    7,
    true,
    false,
    null,
    {},
    { 0: 'ada', length: 1 },
    new Set(['ada']),
    [7],
    ['ada', null],
    [['ada']],
    [undefined],
    () => ['ada'],
    Symbol('ada')
  ]
  for (const users of wrong) {
    for (const foreignKey of [false, true]) {
      await t.rejects(
        editorServer.command({ c: 'drop', key, users } as never, { foreignKey }),
        new InvalidOptionError('users', 'must be a list of user IDs, which are strings'),
        typeof users
      )
    }
  }
  await t.rejects(editorServer.command({ c: 'drop', key, user: ['ada'] } as never), { code: 'FST_EDITOR_INVALID_OPTION', message: /is unknown: use .*users/ })
  t.equal(documentServer.receivedRequests.length, before)
  t.strictSame(await editorServer.command({ c: 'drop', key, users: [] }), { key })
  t.strictSame(await editorServer.command({ c: 'drop', key, users: ['bob'] }), { key })
  t.notOk(ada.events.some(({ type }) => type === 'dropped'))
  t.strictSame(await editorServer.command({ c: 'drop', key, users: ['ada'] }), { key })
  await ada.nextEvent('dropped')
  await ada.close()
})

t.test('forcesave: 0 is started, 4 is an error that says so', async t => {
  const { app: { editorServer }, documentServer, open, stored } = await startService(t)
  const session = await open()
  const { key } = session
  await t.rejects(editorServer.command({ c: 'forcesave', key }), { serverCode: 4, message: /nothing new to save/ })
  await session.edit('force-saved')
  t.strictSame(await editorServer.command({ c: 'forcesave', key, userdata: 'by command' }), { key })
  t.match((await documentServer.nextCallback(6)).body, { userdata: 'by command', forcesavetype: 0 })
  t.equal(await stored(), 'force-saved')
  await session.close()
})

t.test('a key that is empty, malformed or foreign is refused, and nothing is sent', async t => {
  const { app: { editorServer }, documentServer, keys, fileId } = await startService(t)
  const refused: Array<[key: unknown, message: RegExp]> = [
    ['', /is empty, which the document server takes as all documents/],
    [undefined, /is empty/],
    [null, /is empty/],
    [7, /must be 1 to 128 characters/],
    ['a/b', /must be 1 to 128 characters/],
    ['x'.repeat(129), /must be 1 to 128 characters/],
    ['of-another-application', /was not made by this application: set foreignKey/],
    [`${keys.of({ fileId: 'other', revision: '1' }).slice(0, -5)}${fileId}`, /was not made by this application/]
  ]
  const before = documentServer.receivedRequests.length
  for (const c of ['info', 'forcesave', 'drop', 'meta', 'getForgotten', 'deleteForgotten'] as const) {
    for (const [key, message] of refused) {
      await t.rejects(editorServer.command({ c, key } as ServerCommand), { code: 'FST_EDITOR_INVALID_KEY', statusCode: 400, message }, `${c} ${JSON.stringify(key)}`)
    }
  }
  await t.rejects(editorServer.command({ c: 'deleteForgotten', key: '' }, { foreignKey: true }), {
    code: 'FST_EDITOR_INVALID_KEY'
  }, 'foreignKey allows no empty key')
  await t.rejects(editorServer.command({ key: 'k' } as never), { code: 'FST_EDITOR_INVALID_OPTION' })
  await t.rejects(editorServer.command(null as never), { code: 'FST_EDITOR_INVALID_OPTION' })
  t.equal(documentServer.receivedRequests.length, before)
  await t.rejects(editorServer.command({ c: 'info', key: 'of-another-application' }, { foreignKey: true }), {
    message: /does not know the document key/
  }, 'with foreignKey it is sent')
})

t.test('the document server has another secret, or its clock is ahead: 6 and 7', async t => {
  const { app: { editorServer }, documentServer } = await startService(t)
  documentServer.changeSecret('another-secret-than-that-of-the-application')
  await t.rejects(editorServer.version(), { code: 'FST_EDITOR_COMMAND_FAILED', serverCode: 6 })
})

t.test('what answers is no document server', async t => {
  const { app: { editorServer }, documentServer } = await startService(t)
  for (const fault of [
    { type: 'html' },
    { type: 'answer', status: 200, body: '[]' },
    { type: 'answer', status: 200, body: '{"error":"0"}' },
    { type: 'answer', status: 404 },
    { type: 'reset' }
  ] as const) {
    documentServer.fault('command', fault)
    await t.rejects(editorServer.version(), { code: 'FST_EDITOR_UPSTREAM' })
    documentServer.fault('healthcheck', fault)
    await t.rejects(editorServer.healthcheck(), { code: 'FST_EDITOR_UPSTREAM' })
  }
  const reason = new Error('no longer needed')
  await t.rejects(editorServer.version({ signal: AbortSignal.abort(reason) }), reason)
  await t.rejects(editorServer.healthcheck({ signal: AbortSignal.abort(reason) }), reason)
})

t.test('a document server below a path of its origin: the services are below it, and inside at the root', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('true'))
  const paths: Array<[editorApiUrl: string, internalUrl: string | undefined, requested: string]> = [
    ['/web-apps/apps/api/documents/api.js', undefined, '/healthcheck'],
    ['/docs/web-apps/apps/api/documents/api.js', undefined, '/docs/healthcheck'],
    ['/docs/9.3.0-0a1b2c/web-apps/apps/api/documents/api.js', undefined, '/docs/healthcheck'],
    ['/docs/web-apps/apps/api/documents/api.js', upstream.origin, '/healthcheck'],
    ['/', undefined, '/healthcheck']
  ]
  for (const [path, internalUrl, requested] of paths) {
    const origin = internalUrl === undefined ? upstream.origin : 'http://docs.example.com'
    const { app } = await startHost(t, { editorApiUrl: origin + path, ...(internalUrl !== undefined && { documentServer: { internalUrl } }) })
    t.equal(await app.editorServer.healthcheck(), true)
    t.equal(upstream.requests.at(-1), requested)
  }
})
