import type { RequestListener } from 'node:http'
import t from 'tap'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { errorOf, startEditing } from '../kit/editing.js'
import { answerWith, savedAt } from '../kit/http.js'
import { HANDLER, signed } from '../kit/host.js'
import { memoryLog } from '../kit/log.js'

/** What every token starts with; a parser's message quotes a few characters. */
const FIRST_PART = signed({}).split('.')[0]!
const FIRST_CHARACTERS = FIRST_PART.slice(0, 8)

t.test('the log contains no secret, token or query string', async t => {
  const log = memoryLog()
  const answers: RequestListener[] = [
    answerWith('new'),
    answerWith('gone', 404),
    answerWith('', 302, { location: 'http://elsewhere.invalid/redirected?in-the-location=1' }),
    answerWith('', 302, { location: 'ftp://elsewhere.invalid/redirected?in-the-location=1' }),
    (_request, response) => { response.writeHead(200, { 'content-length': '9' }).write('cut', () => response.destroy()) }
  ]
  const editing = await startEditing(t, {
    server: log.server,
    serve: (request, response) => answers[Number(/_(\d)\/output/.exec(request.url ?? '')?.[1])]!(request, response)
  })
  const { fileId, origin, documentServer } = editing
  const sent: string[] = []
  const errors: unknown[] = []

  async function post (fields: object, { token, headerToken, id = fileId }: { token?: string, headerToken?: string, id?: string } = {}): Promise<void> {
    sent.push(...[token, headerToken].filter(text => text !== undefined))
    const headers = { 'content-type': 'application/json', ...(headerToken !== undefined && { authorization: `Bearer ${headerToken}` }) }
    const { body } = await editing.postCallback(id, { ...fields, ...(token !== undefined && { token }) }, headers)
    errors.push(errorOf(body))
  }

  const urls: Array<string | ((key: string) => string)> = [
    ...answers.map((_, index) => (key: string) => savedAt(documentServer.origin, key, index).replace('md5=m-d-5', 'md5=in-the-url')),
    'http://u:password-in-the-url@127.0.0.1:9/x?md5=in-the-url', 'http://elsewhere.invalid/x?md5=in-the-url',
    'ftp://elsewhere.invalid/x?md5=in-the-url', 'nonsense?md5=in-the-url', 'http://[nonsense]/?md5=in-the-url'
  ]
  for (const [index, url] of urls.entries()) {
    const key = `${editing.key}.${index}`
    const save = { key, status: 2, url: typeof url === 'string' ? url : url(key), userdata: 'in-the-userdata' }
    await post(save, { token: signed(save), headerToken: signed({ payload: save }) })
  }
  t.ok(errors.includes(0), 'some are taken')
  t.ok(errors.includes(1), 'some are refused')

  const save = { key: editing.key, status: 2, url: `${editing.url}&md5=in-the-url` }
  const worthless = [
    forgedToken(save, { alg: 'none' }),
    forgedToken(save, { alg: 'HS512', secret: SECRET }),
    forgedToken(save, { secret: 'another-secret' }),
    forgedToken({ ...save, exp: 1 }, { secret: SECRET }),
    signed(save).slice(0, -1),
    `broken${signed(save)}`,
    `${Buffer.from('{"alg":"HS256","typ":"JWT","broken').toString('base64url')}.broken-payload-of-a-token.broken-signature`,
    `${FIRST_PART}.${Buffer.from('in-the-claims').toString('base64url')}.made-up-third-part`,
    'garbage-that-is-no-token'
  ]
  for (const token of worthless) {
    await post(save, { token })
    await post(save, { headerToken: token })
  }
  await post({ key: editing.key, status: 3 }, { token: signed({ key: editing.key, status: 3 }) })
  await post({ status: 'not a status' }, { token: signed({ status: 'not a status' }) })
  await post(save, { token: signed(save), id: 'absent' })

  const broken = signed(save)
  sent.push(broken)
  for (const body of [`{"token":"${broken}"`, `{"token":"${broken}",}`, `"${broken}`, `{"token":${broken}}`, broken]) await editing.postCallback(fileId, body)
  await fetch(`${origin}${HANDLER}?action=callback&fileId=a&fileId=b&in-the-query=1`, { method: 'POST', body: '{}' })
  await fetch(`${origin}${HANDLER}?action=callback&fileId=a&in-the-query=1`)

  const text = log.text()
  t.ok(log.records().length > 60, 'the log contains output')
  for (const token of sent) {
    for (const part of [token, ...token.split('.')].filter(part => part.length > 8)) {
      if (part !== FIRST_PART) t.notOk(text.includes(part), `no ${part.slice(0, 30)}`)
    }
  }
  for (const secret of [
    SECRET, 'in-the-url', 'in-the-location', 'in-the-query', 'in-the-userdata', 'action=', 'fileId=', 'in-the-cla',
    'answer=', 'md5=', FIRST_CHARACTERS
  ]) {
    t.notOk(text.includes(secret), `no ${secret}`)
  }
})
