import t from 'tap'
import { request } from 'undici'
import { fakeClock } from '../../../lib/index.js'
import { startBoth } from '../../support.js'

t.test('a saved file has a signed URL that is valid for 15 minutes', async t => {
  const clock = fakeClock()
  const { host, server } = await startBoth(t, { clock })
  const session = await server.open(host.config('K'))
  await session.edit('first line\nsecond line')
  await session.close()
  const url = String(host.received.at(-1)!.body!.url)
  t.match(url, /\/cache\/files\/data\/K_\d{4}\/output\.docx\/output\.docx\?md5=[\w-]{22}&expires=\d+&shardkey=K&filename=output\.docx$/)

  const whole = await fetch(url)
  const bytes = Buffer.from(await whole.arrayBuffer())
  t.equal(whole.status, 200)
  t.equal(whole.headers.get('content-type'), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')
  t.equal(whole.headers.get('content-disposition'), 'attachment')
  t.equal(whole.headers.get('accept-ranges'), 'bytes')
  t.match(whole.headers.get('etag'), /^W\/"/)
  t.strictSame(bytes, await session.content())

  const part = await fetch(url, { headers: { range: 'bytes=2-9' } })
  t.equal(part.status, 206)
  t.equal(part.headers.get('content-range'), `bytes 2-9/${bytes.length}`)
  t.strictSame(Buffer.from(await part.arrayBuffer()), bytes.subarray(2, 10))
  const unsatisfiable = await fetch(url, { headers: { range: 'bytes=9999999-' } })
  t.strictSame([unsatisfiable.status, unsatisfiable.headers.get('content-range'), await unsatisfiable.text()], [400, `bytes */${bytes.length}`, ''])

  t.equal((await fetch(url, { method: 'HEAD' })).status, 404)
  for (const forged of [url.replace(/md5=[^&]*/, 'md5=bad'), url.replace(/expires=(\d)/, 'expires=9$1'), url.replaceAll('/K_', '/L_')]) {
    const refused = await fetch(forged)
    t.equal(refused.status, 403)
    t.equal(await refused.text(), 'Forbidden')
  }
  t.equal((await fetch(url.replace('shardkey=K', 'shardkey=other'))).status, 200, 'only path and expiry are signed')

  await clock.advance(899_000)
  t.equal((await fetch(url)).status, 200)
  await clock.advance(3000)
  t.equal((await fetch(url)).status, 410)
  t.equal((await fetch(url.replace(/md5=[^&]*/, 'md5=bad'))).status, 410, 'before its md5 is checked')
  t.equal((await fetch(url.replace(/md5=[^&]*/, ''))).status, 403, 'without an md5')
})

t.test('a result file supports range requests like a static file', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('0123456789')
  await session.close()
  const url = String(host.callbacks(2)[0]!.url)
  const get = async (headers: Record<string, string>) => {
    const { statusCode, headers: { 'content-range': range }, body } = await request(url, { headers })
    return [statusCode, await body.text(), ...(range === undefined ? [] : [range])]
  }
  const whole = [200, '0123456789']

  t.strictSame(await get({ range: 'bytes=-3' }), [206, '789', 'bytes 7-9/10'])
  t.strictSame(await get({ range: 'bytes=7-' }), [206, '789', 'bytes 7-9/10'])
  t.strictSame(await get({ range: 'bytes=8-99' }), [206, '89', 'bytes 8-9/10'])
  t.strictSame(await get({ range: 'bytes=0-1,2-3' }), [206, '0123', 'bytes 0-3/10'], 'adjoining ones are one')
  for (const range of ['bytes=0-1,8-9', 'items=0-1', '0-1', 'bytes=']) t.strictSame(await get({ range }), whole, range)
  t.strictSame(await get({ range: 'bytes=5-2' }), [400, '', 'bytes */10'])
})

t.test('a base of a callback that names another result file makes its url give that file', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K_1', { name: 'notes.txt' }))
  await session.edit('the text of before')
  await session.forceSave()
  const other = String(host.callbacks(6)[0]!.url).slice(server.url.length)
  const own = new URL(server.url).host
  const forms: ReadonlyArray<Record<string, string>> = [
    { 'X-Forwarded-Prefix': `${other}&x=` },
    { 'X-Forwarded-Prefix': `${other}#` },
    { 'X-Forwarded-Prefix': `/.${other}&x=` },
    { 'X-Forwarded-Prefix': `/x/..${other}&x=` },
    { 'X-Forwarded-Prefix': `/${other}&x=` },
    { 'X-Forwarded-Prefix': `${other.replace('/cache/', '/%63ache/').replace('.txt/', '%2etxt/')}&x=` },
    { 'X-Forwarded-Host': `${own}${other}&x=` },
    { Host: `${own}${other}#` }
  ]
  for (const [index, headers] of forms.entries()) {
    await session.edit(`the text of after, ${index}`)
    await (await server.open(host.config('K_1', { name: 'notes.txt', mode: 'view' }), undefined, { headers })).close()
    t.match(await session.forceSave(), { status: 6 })
    const url = String(host.callbacks(6).at(-1)!.url)
    t.match(await (await fetch(url)).text(), 'the text of before', url)
    const end = /\/cache\/files\/data\/K_1_\d+\/output\.txt\/output\.txt\?md5=[^?#]*$/.exec(url)![0]
    t.match(await (await fetch(server.url + end)).text(), `the text of after, ${index}`, 'the end of the text names the true file')
  }
})

t.test('a path that is written in another way names the same file', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K_1', { name: 'notes.txt' }))
  await session.edit('the text')
  await session.close()
  const url = String(host.callbacks(2)[0]!.url)
  const get = async (path: string) => {
    const { statusCode, body } = await request(url.replace(/\/cache\/.*(?=\?)/, path))
    return [statusCode, await body.text()]
  }
  const path = new URL(url).pathname
  for (const same of [path.replaceAll('_', '%5f'), `/${path}`, path.replace('/output', '//output'), path.replace('/output', '%2foutput')]) {
    t.match(await get(same), [200, 'the text'], same)
  }
  for (const none of [`/office${path}`, path.replace('/data/', '/%ff/')]) t.not((await get(none))[0], 200, none)
})
