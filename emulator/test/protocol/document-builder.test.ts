import t from 'tap'
import { fakeClock } from '../../lib/index.js'
import { postSigned, sign, startBoth, startFakeHost } from '../support.js'

const HELLO = `
builder.CreateFile("docx");
builder.SaveFile("docx", "output.docx");
builder.SaveFile("txt", "text.txt");
builder.CloseFile();
`

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server } = await startBoth(t)
  host.files.set('/files/hello.docbuilder', Buffer.from(HELLO))
  const post = async (fields: object): Promise<Record<string, unknown>> => {
    const response = await postSigned(`${server.url}/docbuilder`, fields)
    t.equal(response.status, 200)
    t.match(response.headers.get('content-type'), /^application\/json/)
    return await response.json() as Record<string, unknown>
  }
  const script = { url: `${host.origin}/files/hello.docbuilder`, argument: { name: 'Ada' } }
  return { host, server, post, script }
}

t.test('a synchronous request answers with the key, the URLs of all saved files by name, and end true', async t => {
  const { host, server, post, script } = await start(t)
  const { key, urls, ...rest } = await post({ async: false, ...script }) as { key: string, urls: Record<string, string> }
  t.strictSame(rest, { end: true })
  t.match(key, /^bld_\d{8}$/)
  t.strictSame(Object.keys(urls), ['output.docx', 'text.txt'])
  t.match(
    urls['output.docx'],
    /^http:\/\/127\.0\.0\.1:\d+\/cache\/files\/data\/bld_\d{8}\/output\/output\.docx\/output\.docx\?md5=[\w-]{22}&expires=\d+&shardkey=bld_\d{8}&filename=output\.docx$/
  )
  t.equal(new URL(urls['output.docx']!).origin, server.url)
  t.equal((await fetch(urls['text.txt']!)).status, 200)
  t.equal(Buffer.from(await (await fetch(urls['output.docx']!)).arrayBuffer()).subarray(0, 2).toString(), 'PK')
  t.match(host.received, [{ method: 'GET', path: '/files/hello.docbuilder', headers: { authorization: /^Bearer / } }], 'the script was downloaded with a token')
})

t.test('an asynchronous request answers with the key at once, and is polled with it until end is true', async t => {
  const { server, post, script } = await start(t)
  server.fault('building', { type: 'slow', ms: 3000 })
  const { key, ...rest } = await post({ async: true, ...script })
  t.strictSame(rest, { end: false })
  let answer = await post({ async: true, key })
  while (answer.end === false) {
    t.strictSame(answer, { key, end: false })
    answer = await post({ async: true, key })
  }
  t.match(answer, { key, end: true, urls: { 'output.docx': /^http/ } })
  t.match(await post({ async: false, key }), { key, end: true }, 'also synchronously')
  t.strictSame(await post({ async: true, key: 'bld_00000000' }), { error: -1 }, 'an unknown key')
})

t.test('each request without a key is a build of its own', async t => {
  const { host, post, script } = await start(t)
  t.not((await post(script)).key, (await post(script)).key)
  t.equal(host.received.length, 2)
})

t.test('the URLs name the host of the request', async t => {
  const { server, script } = await start(t)
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'docs.example.com' }
  const { urls } = await (await postSigned(`${server.url}/docbuilder`, script, headers)).json() as { urls: Record<string, string> }
  for (const url of Object.values(urls)) t.ok(url.startsWith('https://docs.example.com/cache/files/data/bld_'), url)
})

t.test('a failed build answers its code', async t => {
  const { host, server, post, script } = await start(t)
  t.strictSame(await post({ ...script, url: `${host.origin}/files/missing` }), { error: -4 }, 'the script is not there')
  t.strictSame(await post({ ...script, url: undefined }), { error: -3 }, 'no url')
  for (const bad of ['alert(1)', 'builder.CreateFile("docx"); builder.SaveFile("zzz", "a.zzz")']) {
    host.files.set('/files/bad.docbuilder', Buffer.from(bad))
    t.strictSame(await post({ ...script, url: `${host.origin}/files/bad.docbuilder` }), { error: -3 }, bad)
  }
  server.fault('building', { type: 'slow', ms: 121_000 })
  t.strictSame(await post(script), { error: -2 }, 'more than two minutes')
  for (const error of [-1, -6]) {
    server.fault('building', { type: 'error', error })
    t.strictSame(await post(script), { error })
  }
})

t.test('a missing, wrong or expired token of a build answers -8; only signed fields count', async t => {
  const { host, server, script } = await start(t)
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/docbuilder`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
    return await response.json()
  }
  t.strictSame(await post(script), { error: -8 })
  t.strictSame(await post({ ...script, token: 'x.y.z' }), { error: -8 })
  t.strictSame(await post({ token: sign({ ...script, exp: Math.floor(fakeClock().now() / 1000) - 120 }) }), { error: -8 })
  t.equal(host.received.length, 0)
  t.match(await post({ ...script, url: 'http://127.0.0.1:1/', token: sign(script) }), { end: true })
  t.match(await post({}, { authorization: `Bearer ${sign({ payload: script })}` }), { end: true })
})
