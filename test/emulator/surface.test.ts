import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from './support.js'

t.test('healthcheck answers true or false as text, with HTTP 200 in both cases', async t => {
  const server = await startDocumentServer(t)
  const check = async () => {
    const response = await fetch(`${server.url}/healthcheck`)
    return [response.status, response.headers.get('content-type')?.split(';')[0], await response.text()]
  }
  t.strictSame(await check(), [200, 'text/plain', 'true'])
  server.fault('healthcheck', { type: 'answer', status: 200, body: 'false', headers: { 'content-type': 'text/plain; charset=utf-8' } })
  t.strictSame(await check(), [200, 'text/plain', 'false'])
})

t.test('every address takes ?shardkey=', async t => {
  const host = await startFakeHost(t)
  const { url, editorApiUrl } = await startDocumentServer(t)
  const shard = '?shardkey=K'
  const conversion = { async: false, filetype: 'txt', key: 'K', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  t.equal(await (await fetch(`${url}/healthcheck${shard}`)).text(), 'true')
  t.match(await (await fetch(`${editorApiUrl}${shard}`)).text(), 'DocEditor')
  for (const path of ['/converter', '/ConvertService.ashx']) t.match(await (await postSigned(`${url}${path}${shard}`, conversion)).text(), /endConvert":true|<EndConvert>True/)
  for (const path of ['/command', '/coauthoring/CommandService.ashx']) t.match(await (await postSigned(`${url}${path}${shard}`, { c: 'version' })).json(), { error: 0 })
})
