import t from 'tap'
import { createDocumentServer, type DocumentServerOptions, type EditorConfig } from '../lib/index.js'
import { postSigned, startBoth, startDocumentServer } from './support.js'

t.test('version: what the commands and the history of a callback report', async t => {
  for (const [version, expected, build, number] of [
    [undefined, '9.3.0.0', '9.3.0', 0],
    ['10.0', '10.0.0.0', '10.0.0', 0],
    ['7.5.1.23', '7.5.1.23', '7.5.1', 23]
  ] as const) {
    const { host, server } = await startBoth(t, version === undefined ? {} : { version })
    const run = async (c: string) => await (await postSigned(`${server.url}/command`, { c })).json()
    t.strictSame(await run('version'), { error: 0, version: expected })
    t.match(await run('license'), { server: { buildVersion: build, buildNumber: number } })
    const session = await server.open(host.config('K'))
    await session.edit('changed')
    await session.close()
    t.match(host.callbacks(2), [{ history: { serverVersion: build } }])
  }
})

t.test('calls that could never work say what they need', async t => {
  const { host, server } = await startBoth(t)
  for (const [config, message] of [
    [null, /^open\(\) needs the configuration .* It got null\. Has your application opened a document\?$/],
    [undefined, /It got a value of type undefined/],
    ['{"token":""}', /It got a value of type string/]
  ] as const) {
    await t.rejects(server.open(config as unknown as EditorConfig), { name: 'TypeError', message })
  }
  const session = await server.open(host.config('K'))
  for (const content of [undefined, null, 7, { text: 'new' }]) {
    await t.rejects(session.edit(content as unknown as string), { name: 'TypeError', message: 'edit() needs the new content, as a string or Uint8Array' })
  }
  await session.edit('new')
  t.match(await session.close(), { status: 2 }, 'the session goes on')
})

t.test('options that could never work are refused', async t => {
  const jwtSecret = 'test-secret-0123456789abcdef0123456789'
  const wrong: ReadonlyArray<readonly [object, RegExp]> = [
    [{ jwtSecret: '' }, /^jwtSecret must be a string or a list of strings, none of them empty$/],
    [{ jwtSecret: [] }, /^jwtSecret must be/],
    [{}, /^jwtSecret is missing: /],
    [{ jwtSecret: undefined }, /^jwtSecret is missing: /],
    [{ secret: jwtSecret }, /^The option secret is unknown: use .*jwtSecret/],
    [{ jwtSecret, clok: {} }, /^The option clok is unknown: use .*clock/],
    [{ jwtSecret: {} }, /^jwtSecret\.inbox must be/],
    [{ jwtSecret: { inbox: jwtSecret } }, /^jwtSecret\.outbox must be/],
    [{ jwtSecret: { inbox: ['a', 5], outbox: 'b' } }, /^jwtSecret\.inbox must be/],
    [{ jwtSecret, version: '9' }, /^version must be 9\.3, 9\.4, 10\.0 or the full number of a build such as 9\.3\.0\.1, not "9"$/],
    [{ jwtSecret, purposeCheck: 'strict' }, /^purposeCheck is a setting of version 10\.0 and later, not of 9\.3\.0$/],
    [{ jwtSecret, version: '10.0', purposeCheck: 'on' }, /^purposeCheck must be off, validate or strict, not "on"$/],
    [{ jwtSecret, operations: { body: 1 } }, /^operations\.body must be a string$/],
    [{ jwtSecret, operations: { callback: 'x' } }, /^operations\.callback is unknown: use body, download, header, payload$/],
    [{ jwtSecret, services: { converter: 'no' } }, /^services\.converter must be true or false$/],
    [{ jwtSecret, services: { command: false } }, /^services\.command is unknown: use converter, docbuilder, page$/],
    [{ jwtSecret, version: 'latest' }, /^version must be/],
    [{ jwtSecret, requestLog: { entries: 0 } }, /^requestLog\.entries must be a whole number, 1 or more$/],
    [{ jwtSecret, requestLog: { bodyBytes: 1.5 } }, /^requestLog\.bodyBytes must be a whole number, 1 or more$/]
  ]
  for (const [options, message] of wrong) {
    await t.rejects(createDocumentServer(options as DocumentServerOptions), { name: 'TypeError', message }, JSON.stringify(options))
  }
  for (const options of [undefined, null, jwtSecret]) {
    await t.rejects(createDocumentServer(options as unknown as DocumentServerOptions), {
      name: 'TypeError',
      message: /needs an object with options, such as \{ jwtSecret \}/
    })
  }
  const server = await startDocumentServer(t)
  t.throws(() => server.changeSecret([]), { name: 'TypeError', message: /^jwtSecret must be/ })
})

t.test('without the page, its paths are unknown, and a script edits, saves and crashes all the same', async t => {
  const { host, server } = await startBoth(t, { services: { page: false } })
  t.equal((await fetch(server.editorApiUrl)).status, 404)
  t.equal((await fetch(`${server.url}/web-apps/apps/documenteditor/main/index.html`)).status, 404)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await server.crash()
  await server.restart({ sessions: 'kept' })
  await session.reconnect()
  t.match(await session.close(), { status: 2 })
})
