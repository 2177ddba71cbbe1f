// A page can send a request without its body, and the body when its user may no longer do what it asks for.
import http from 'node:http'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { HANDLER, startPageHost } from '../kit/host.js'
import { deferred, stoppedTime } from '../kit/time.js'

const REQUESTS: Readonly<Record<string, object>> = {
  config: { purpose: 'reopen' },
  renew: {},
  rename: { name: 'Minutes' },
  favorite: { favorite: true },
  create: {},
  notify: { emails: ['grace@example.com'], message: 'Look' },
  restore: { version: 1 },
  saveAs: { url: 'http://127.0.0.1:9/cache/files/x/output.docx', title: 'Copy', fileType: 'docx' }
}

async function start (t: Test) {
  const jump = stoppedTime(t)
  const done: string[] = []
  const asked: string[] = []
  const rights = { mayAct: true, timePassed: 0 }
  let admitted = deferred()
  const note = (name: string) => () => { done.push(name) }
  const host = await startPageHost(t, {
    clock: { now: () => Date.UTC(2026, 0, 1) + rights.timePassed },
    versions: {},
    authorize ({ action }) {
      asked.push(action)
      return rights.mayAct
    },
    actions: { rename: note('rename'), favorite: note('favorite'), notify: note('notify'), create: () => { done.push('create'); return { url: '/new' } }, saveAs: true },
    // Runs when the request is authorized, before its body is read.
    prepare: app => app.addHook('preParsing', async () => { admitted.resolve() })
  })

  /** Sends the body when the request is authorized and `meanwhile` is over. */
  async function send (action: string, meanwhile: () => unknown): Promise<{ status: number | undefined, code: string | undefined }> {
    const body = JSON.stringify(REQUESTS[action])
    const token = await host.tokenOf()
    done.length = asked.length = 0
    admitted = deferred()
    const request = http.request(`${host.origin}${HANDLER}/actions/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length, 'x-editor-page-token': token }
    })
    const answer = new Promise<http.IncomingMessage>((resolve, reject) => { request.on('response', resolve).on('error', reject) })
    request.flushHeaders()
    await admitted.promise
    await meanwhile()
    request.end(body)
    const response = await answer
    const { code } = await json(response) as { code?: string }
    return { status: response.statusCode, code }
  }
  return { ...host, jump, done, asked, rights, send }
}

t.test('attack: a request whose body is held back until the rights are taken away does nothing, whatever it asks for', async t => {
  const { send, jump, done, asked, rights } = await start(t)
  for (const action of Object.keys(REQUESTS)) {
    rights.mayAct = true
    const answer = await send(action, () => { rights.mayAct = false; jump(1001) })
    t.strictSame(answer, { status: 403, code: 'FST_EDITOR_FORBIDDEN' }, action)
    t.strictSame(asked, [action, action])
    t.strictSame(done, [])
  }
})

t.test('attack: nor does one that is held back until the page\'s token has expired, or until the document is frozen', async t => {
  const { app, fileId, send, jump, done, rights } = await start(t)
  t.match(await send('rename', () => { rights.timePassed += 2 * 3_600_000; jump(1001) }), { status: 401 })
  // It is frozen although there is no document server to ask.
  t.match(await send('rename', async () => { await app.editorSessions.freeze(fileId).catch(() => {}) }), { status: 423 })
  t.strictSame(done, [])
})

t.test('a late body of a user who may still act counts, and authorize is asked only once about a body that comes in time', async t => {
  const { send, jump, done, asked } = await start(t)
  t.match(await send('rename', () => { jump(1001) }), { status: 200 })
  t.strictSame([done, asked], [['rename'], ['rename', 'rename']])
  t.match(await send('rename', () => {}), { status: 200 })
  t.strictSame([done, asked], [['rename'], ['rename']])
})
