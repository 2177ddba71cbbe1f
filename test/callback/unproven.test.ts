import t from 'tap'
import { stoppedTime } from '../kit/time.js'
import { forgedToken } from '../kit/document-server.js'
import { startEditing } from '../kit/editing.js'
import { answerWith } from '../kit/http.js'
import { HANDLER, signed } from '../kit/host.js'
import { collect, ERROR, type LogRecord, memoryLog, WARN } from '../kit/log.js'

interface UnprovenLine extends LogRecord {
  readonly isUrlSigned: boolean
  readonly suppressed?: number
}

const json = { 'content-type': 'application/json' }

function linesOf (log: ReturnType<typeof memoryLog>) {
  const lines = log.records().filter(({ level }) => level >= WARN)
  return {
    refused: lines.filter(({ msg }) => msg.startsWith('callback refused')),
    unproven: lines.filter(({ msg }) => msg.startsWith('an unproven callback was refused')) as UnprovenLine[],
    count: lines.length
  }
}

t.test('callbacks of strangers, by the hundred: a few short lines each, and one of a save that was refused', async t => {
  stoppedTime(t)
  const log = memoryLog()
  const editing = await startEditing(t, { server: log.server, serve: answerWith('gone', 404) })
  const { messages } = collect(t, 'save')
  const { count: before } = linesOf(log)
  const { fileId, key, url, origin } = editing
  const fields = { key, status: 2, url }
  const callback = new URL(editing.urls.callback(fileId))
  const forge = async (query: string, init: RequestInit) =>
    await (await fetch(`${origin}${HANDLER}?action=callback${query}`, { method: 'POST', ...init })).text()
  const strangers: Array<(index: number) => Promise<string>> = [
    async index =>
      await forge(`&fileId=${index}${'x'.repeat(5000)}`, { headers: json, body: JSON.stringify(fields) }),
    async index =>
      await forge(`&fileId=${fileId}&signature=made-up-${index}`, { headers: json, body: JSON.stringify(fields) }),
    async index =>
      await forge(`&fileId=${fileId}`, {
        headers: { ...json, [`x-${index}-${'long'.repeat(1000)}`]: signed(fields) },
        body: JSON.stringify(fields)
      }),
    async () => await forge('', { body: 'garbage' }),
    async index => await forge(`&fileId=a&fileId=b${index}`, {}),
    // Whoever may open the document knows its callback URL.
    async index =>
      await forge(callback.search.replace('?action=callback', ''), {
        headers: json,
        body: JSON.stringify({ ...fields, token: forgedToken({ ...fields, index }, { secret: 'another-secret' }) })
      }),
    async () => await forge(callback.search.replace('?action=callback', ''), { headers: json, body: 'garbage' }),
    async index =>
      await forge(callback.search.replace('?action=callback', ''), {
        headers: { ...json, [`x-${index}-${'long'.repeat(1000)}`]: signed(fields) },
        body: JSON.stringify(fields)
      })
  ]
  let sent = 0
  for (let round = 0; round < 30; round++) {
    const answers = await Promise.all(strangers.map(async post => await post(round)))
    t.strictSame(answers, strangers.map(() => '{"error":1}'))
    sent += answers.length
    if (round === 15) t.match(await editing.postSignedCallback(fileId, fields), { body: '{"error":1}' })
  }

  const { refused, unproven, count } = linesOf(log)
  t.match(refused, [{ level: ERROR, fileId, err: { code: 'FST_EDITOR_UPSTREAM' } }])
  t.equal(refused.length, 1, 'the save that was refused in between has its line')
  t.equal(count - before, refused.length + unproven.length)
  const kinds = new Set(unproven.map(({ err, isUrlSigned }) => `${err!.code} ${isUrlSigned}`))
  t.ok(kinds.size >= 2 && kinds.size <= 6, [...kinds].join())
  for (const kind of kinds) t.equal(unproven.filter(({ err, isUrlSigned }) => `${err!.code} ${isUrlSigned}` === kind).length, 10, kind)
  for (const line of unproven) {
    t.equal(line.level, WARN)
    t.ok(JSON.stringify(line).length < 1500, JSON.stringify(line))
    t.ok((line.fileId ?? '').length <= 200)
  }
  t.ok(unproven.some(({ isUrlSigned }) => isUrlSigned))

  t.strictSame(messages.filter(({ outcome }) => outcome === 'refused').map(({ code }) => code), ['FST_EDITOR_UPSTREAM'])
  t.equal(messages.filter(({ outcome }) => outcome === 'unproven').length, sent)
  t.ok(messages.every(({ fileId = '' }) => fileId.length <= 200))
})

t.test('after a minute there are lines again; the first says how many there were none for', async t => {
  const jump = stoppedTime(t)
  const log = memoryLog()
  const editing = await startEditing(t, { server: log.server })
  const forge = async () =>
    await (await fetch(editing.handler({ action: 'callback', fileId: editing.fileId }), {
      method: 'POST',
      headers: json,
      body: '{}'
    })).text()
  for (let index = 0; index < 25; index++) await forge()
  t.equal(linesOf(log).unproven.length, 10)
  t.notOk(linesOf(log).unproven.some(({ suppressed }) => suppressed !== undefined))
  jump(60_000)
  await forge()
  await forge()
  const [first, second, ...more] = linesOf(log).unproven.slice(10)
  t.match(first, { suppressed: 15, isUrlSigned: false, fileId: editing.fileId, err: { code: 'FST_EDITOR_UNAUTHORIZED', message: /is not signed/ } })
  t.notOk('suppressed' in second!)
  t.strictSame(more, [])
})

t.test('a callback is proven before anything else is looked at, such as its key, its body or a hook of the application; authorize proves nothing', async t => {
  const log = memoryLog()
  let isClosed = false
  const editing = await startEditing(t, {
    server: log.server,
    serve: answerWith('gone', 404),
    bodyLimit: 10_000,
    authorize: (_target, { request }) => request.headers['x-granted'] === 'yes' ? 'grant' : undefined,
    prepare (app) {
      app.addHook('onRequest', async () => { if (isClosed) throw Object.assign(new Error('log in first'), { statusCode: 401, code: 'CLOSED' }) })
    }
  })
  const { fileId, key, url, urls } = editing
  const save = { key, status: 2, url }
  const post = async (address: string, body: string, headers: Record<string, string> = {}) =>
    await (await fetch(address, { method: 'POST', headers: { ...json, ...headers }, body })).text()
  const proof = { authorization: `Bearer ${signed({ payload: save })}` }
  const proven: Record<string, () => Promise<string>> = {
    'a key of another file': async () => (await editing.postSignedCallback(fileId, { ...save, key: 'of-another-file' })).body,
    'a body that is too large': async () => await post(urls.callback(fileId), JSON.stringify({ ...save, userdata: 'x'.repeat(20_000) }), proof),
    'a body that is no JSON': async () => await post(urls.callback(fileId), 'nonsense', proof)
  }
  for (const [name, send] of Object.entries(proven)) {
    const before = linesOf(log)
    t.equal(await send(), '{"error":1}', name)
    const after = linesOf(log)
    t.strictSame([after.refused.length - before.refused.length, after.unproven.length], [1, 0], name)
  }

  const granted = { 'x-granted': 'yes' }
  await post(editing.handler({ action: 'callback', fileId }), JSON.stringify(save), { ...granted, ...proof })
  await post(urls.callback(fileId), JSON.stringify(save), granted)
  const { unproven } = linesOf(log)
  t.match(unproven, [{ err: { message: /is not signed/ } }, { err: { message: /no token/ } }])

  isClosed = true
  await post(editing.handler({ action: 'callback', fileId }), '{}')
  t.match(linesOf(log).unproven.slice(unproven.length), [{ err: { code: 'CLOSED' } }])
  const before = linesOf(log).refused.length
  await post(urls.callback(fileId), JSON.stringify(save), proof)
  t.match(linesOf(log).refused.slice(before), [{ err: { code: 'CLOSED' } }])
})
