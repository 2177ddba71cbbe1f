import { createVerifier } from 'fast-jwt'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { SECRET } from '../kit/document-server.js'
import { ADA, startHost } from '../kit/host.js'
import { GRACE, OLD, responseAt, startHistorian, startService } from '../kit/sessions.js'

const DAY_MS = 24 * 60 * 60_000

t.test('every save adds a version, with who made it and what was changed', async t => {
  const { edit, control, contents, fetched, fileId } = await startHistorian(t, { inFiles: true })
  await edit('by Ada', ADA)
  await edit('by Grace', GRACE)
  t.strictSame(await contents(), [[1, OLD], [2, 'by Ada'], [3, 'by Grace']])

  const { currentVersion, history } = await (await control()).history()
  t.equal(currentVersion, 3)
  t.match(history, [
    { version: 1, changes: null, created: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/ },
    { version: 2, user: ADA, changes: [{ user: ADA }], serverVersion: String, created: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/ },
    { version: 3, user: GRACE, changes: [{ user: GRACE }] }
  ])
  t.strictSame(history[0]!.user, { id: '', name: '' }, 'nobody edited the upload')
  t.equal(new Set(history.map(({ key }) => key)).size, 3, 'each has a document key of its own')

  const { data, changes, previous } = await fetched(3)
  const { token, ...signed } = data
  const { iat, ...claims } = createVerifier({ key: SECRET })(token)
  t.strictSame(claims, signed, 'the token signs everything')
  t.match(data, { version: 3, fileType: 'txt', key: history[2]!.key, previous: { key: history[1]!.key, fileType: 'txt' } })
  t.equal(changes?.subarray(0, 4).toString('latin1'), 'PK\u0003\u0004', 'the changes are a zip file')
  t.equal(previous, 'by Ada')

  const first = await (await control()).historyData(1)
  t.notOk('changesUrl' in first)
  t.notOk('previous' in first)
  await t.rejects((await control()).historyData(4), { code: 'FST_EDITOR_VERSION_NOT_FOUND', statusCode: 404 })
  t.equal((await (await control()).history()).history[2]!.key, await (await control()).documentKey, 'the present version has the key that editors get')
  t.ok(fileId)
})

t.test('the changes of a session are shown on the version that it began with, not on its force saves', async t => {
  const { open, contents, fetched, control } = await startHistorian(t)
  const session = await open({ user: ADA })
  for (const content of ['first', 'second']) {
    await session.edit(content)
    t.match(await session.forceSave(), { accepted: true })
  }
  await session.edit('third')
  t.match(await session.close(), { accepted: true })
  t.strictSame(await contents(), [[1, OLD], [2, 'first'], [3, 'second'], [4, 'third']])
  for (const version of [2, 3, 4]) t.equal((await fetched(version)).previous, OLD, `version ${version}`)
  t.equal((await (await control()).history()).currentVersion, 4)
})

t.test('closing without a change, and a repeat of a save, add no version', async t => {
  const { edit, open, contents, sent, postSignedCallback, fileId } = await startHistorian(t)
  await edit('saved')
  const viewer = await open()
  t.match(await viewer.close(), { status: 4 })
  const [save] = sent(2)
  const { token, ...payload } = save!.body as Record<string, unknown>
  t.match(await postSignedCallback(fileId, payload), { body: '{"error":0}' })
  t.strictSame(await contents(), [[1, OLD], [2, 'saved']])
})

t.test('content that another program put there is a version of nobody, and changes are not shown on it', async t => {
  const { edit, app, fileId, contents, control, fetched } = await startHistorian(t)
  await edit('by Ada')
  await app.editorStorage.replace(fileId, Buffer.from('by another program'))
  await edit('by Grace', GRACE)
  t.strictSame(await contents(), [[1, OLD], [2, 'by another program'], [3, 'by Grace']], 'what the other program replaced is lost')
  const { history } = await (await control()).history()
  t.match(history.map(({ user }) => user.name), ['', '', 'Grace'])
  t.equal((await fetched(2)).changes, undefined)
  t.equal((await fetched(3)).previous, 'by another program')
})

t.test('a save whose changes cannot be fetched is stored, and its version shows none', async t => {
  for (const file of [{ type: 'answer', status: 404 }, { type: 'html' }] as const) {
    const { open, documentServer, contents, fetched, control } = await startHistorian(t)
    const session = await open()
    await session.edit('saved')
    documentServer.fault('file', file, { after: 1, times: 1 })
    t.match(await session.close(), { accepted: true })
    t.strictSame(await contents(), [[1, OLD], [2, 'saved']])
    t.equal((await fetched(2)).changes, undefined)
    t.match((await (await control()).history()).history[1], { user: ADA, changes: [{ user: ADA }] })
  }
})

t.test('a save is refused if its predecessor cannot be kept, and stored once it can be', async t => {
  let isFull = true
  const { open, stored, forgotten, contents, key } = await startHistorian(t, {
    storing: storage => ({
      ...storage,
      async commit (fileId, content, { keep, ...options }) {
        return await storage.commit(fileId, content, {
          ...options,
          keep (...given) {
            if (isFull) throw new Error('the disk is full')
            return keep!(...given)
          }
        })
      }
    })
  })
  const session = await open()
  await session.edit('saved')
  t.match(await session.close(), { status: 2, accepted: false })
  t.equal(await stored(), OLD)
  t.strictSame(forgotten(), ['saved'])

  isFull = false
  const again = await open()
  t.equal(again.key, await key())
  t.match(await again.close(), { accepted: true })
  t.strictSame(await contents(), [[1, OLD], [2, 'saved']])
})

t.test('the oldest versions are deleted beyond keep, maxAge and maxBytes, and their numbers are not used again', async t => {
  const many = await startHistorian(t, { versions: { keep: 2 } })
  for (const content of ['2', '3', '4', '5']) await many.edit(content)
  t.strictSame(await many.contents(), [[1, OLD], [4, '4'], [5, '5']], 'what was stored before stays longer than what stood for seconds')
  t.strictSame((await many.app.editorStorage.versions.list(many.fileId)).map(({ version }) => version), [1, 4])

  const small = await startHistorian(t, { versions: { maxBytes: 2000 } })
  for (const content of ['2'.repeat(1200), '3'.repeat(1200), '4']) await small.edit(content)
  t.strictSame((await small.contents()).map(([version]) => version), [1, 3, 4])

  const young = await startHistorian(t, { versions: { maxAge: 60_000 } })
  await young.edit('2')
  t.strictSame((await young.contents()).map(([version]) => version), [1, 2])
  await young.clock.advance(120_000)
  await young.edit('3')
  t.strictSame((await young.contents()).map(([version]) => version), [1, 2, 3].slice(-2), 'one is always kept')
})

t.test('a clock that jumps ahead empties no history; after a day it is believed', async t => {
  const { clock, edit, contents } = await startHistorian(t, { versions: { maxAge: 30 * DAY_MS } })
  const numbers = async () => (await contents()).map(([version]) => version)
  for (const content of ['2', '3']) await edit(content)
  await clock.advance(10 * 365 * DAY_MS)
  for (const content of ['4', '5']) await edit(content)
  t.strictSame(await numbers(), [1, 2, 3, 4, 5])
  const { now } = performance
  t.teardown(() => { performance.now = now })
  performance.now = () => now.call(performance) + DAY_MS + 60_000
  await edit('6')
  t.strictSame(await numbers(), [5, 6])
})

t.test('force saves within a session are deleted before older versions, and the last two saves of a session stay', async t => {
  const { edit, open, contents, fetched } = await startHistorian(t, { versions: { keep: 4 } })
  await edit('last week')
  const session = await open()
  for (const content of ['a', 'b', 'c', 'd', 'e']) {
    await session.edit(content)
    t.match(await session.forceSave(), { accepted: true })
  }
  await session.edit('f')
  t.match(await session.close(), { accepted: true })
  t.strictSame((await contents()).map(([, content]) => content), [OLD, 'last week', 'd', 'e', 'f'])
  t.equal((await fetched(8)).previous, 'last week', 'the changes of the session are still shown')
  t.ok((await fetched(8)).changes)
})

t.test('only signed URLs open a version, and each opens one version only', async t => {
  const { edit, fetched, fileId, app, clock, origin } = await startHistorian(t, { downloadUrlLifetime: 1000 * 60 * 60 })
  await edit('two')
  await edit('three')
  const { fileId: other } = await app.editorControl().uploadDocument(Buffer.from('another document'), 'Other.txt')
  const { url, changesUrl } = (await fetched(3)).data
  const statusOf = async (change: (query: URLSearchParams) => void, from = url) => {
    const changed = new URL(from)
    change(changed.searchParams)
    return (await fetch(changed)).status
  }
  t.equal(await statusOf(query => query.set('version', '2')), 403)
  t.equal(await statusOf(query => query.set('part', 'changes')), 403)
  t.equal(await statusOf(query => query.set('fileId', other)), 403)
  t.equal(await statusOf(query => query.delete('version')), 403)
  t.equal(await statusOf(query => query.delete('signature')), 401)
  t.equal(await statusOf(query => query.delete('part'), changesUrl), 403)
  for (const version of ['../1', '1/../2', '0', '-1', '1.0', '01', '1e0', '９', ' 1', 'x'.repeat(5000), '']) {
    t.equal(await statusOf(query => query.set('version', version)), 404, version.slice(0, 10))
  }
  t.equal(await statusOf(query => query.append('version', '3')), 404, 'twice')
  const download = new URL((await app.editorControl().openDocument(fileId)).documentUrl)
  download.searchParams.set('version', '1')
  t.equal((await fetch(download)).status, 403, 'the signature of a download is none for a version')

  const head = await fetch(url, { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(head.headers.get('content-length'), '5')
  const { headers } = await responseAt(url)
  t.equal(headers.get('content-disposition'), `attachment; filename=${fileId}-3.txt`)
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.ok(url.startsWith(origin))
  await clock.advance(1000 * 60 * 61)
  t.equal((await fetch(url)).status, 403, 'expired')
})

t.test('authorize decides about versions, too', async t => {
  const targets: unknown[] = []
  const { edit, fetched, fileId } = await startHistorian(t, {
    authorize (target, { request }) {
      if (target.action !== 'download' || request.headers['x-user'] === undefined) return undefined
      targets.push(target)
      return request.headers['x-user'] === 'ada' ? 'grant' : false
    }
  })
  await edit('two')
  const { url } = (await fetched(1)).data
  const unsigned = url.replace(/&expires.*/, '')
  t.equal((await fetch(unsigned)).status, 401)
  t.equal((await fetch(unsigned, { headers: { 'x-user': 'ada' } })).status, 200)
  t.equal((await fetch(url, { headers: { 'x-user': 'grace' } })).status, 403)
  t.strictSame(targets, [{ action: 'download', fileId, version: 1 }, { action: 'download', fileId, version: 1 }])
})

t.test('versions survive a change of format and are removed with the document', async t => {
  const { open, app, fileId, control, contents } = await startHistorian(t)
  const session = await open()
  await session.edit(Buffer.from('a,b'), { fileType: 'csv' })
  t.match(await session.close(), { accepted: true })
  const opened = await control()
  t.match([await opened.historyData(1), await opened.historyData(2)], [{ fileType: 'txt' }, { fileType: 'csv' }])
  t.strictSame(await contents(), [[1, OLD], [2, 'a,b']])
  await app.editorStorage.remove(fileId)
  t.strictSame(await app.editorStorage.versions.list(fileId), [])
})

t.test('a conflict copy has a history of its own', async t => {
  const { open, app, fileId, saved, contents } = await startHistorian(t)
  const session = await open()
  await session.edit('first')
  await app.editorStorage.replace(fileId, Buffer.from('by another program'))
  t.match(await session.forceSave(), { accepted: true })
  await session.edit('second')
  t.match(await session.close(), { accepted: true })
  t.strictSame(await contents(), [[1, 'by another program']])
  const copy = await app.editorControl().openDocument(saved.at(-1)!.stored.fileId)
  t.match((await copy.history()).history, [{ version: 1 }, { version: 2, user: ADA }])
  t.notOk('changesUrl' in await copy.historyData(2), 'the changes are those of the document that was edited')
})

t.test('without the option there is no history', async t => {
  const { app, fileId } = await startService(t)
  const control = await app.editorControl().openDocument(fileId)
  for (const call of [control.history(), control.historyData(1), control.restore(1)] as Array<Promise<unknown>>) {
    await t.rejects(call, { code: 'FST_EDITOR_INVALID_OPTION', message: /versions must be set/ })
  }
  await t.rejects(startHost(t, { versions: { keep: 0 } }), { message: /versions.keep/ })
  const historian = await startHistorian(t, { storage: fileStorage({ directory: t.testdir() }) })
  await t.rejects(historian.app.editorControl().history(), { code: 'FST_EDITOR_NO_DOCUMENT' })
})
