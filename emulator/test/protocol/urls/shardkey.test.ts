import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

t.test('every path accepts ?shardkey=', async t => {
  const host = await startFakeHost(t)
  const { url, editorApiUrl } = await startDocumentServer(t)
  const shard = '?shardkey=K'
  const conversion = { async: false, filetype: 'txt', key: 'K', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  t.equal(await (await fetch(`${url}/healthcheck${shard}`)).text(), 'true')
  t.match(await (await fetch(`${editorApiUrl}${shard}`)).text(), 'DocEditor')
  for (const path of ['/converter', '/ConvertService.ashx']) {
    t.match(await (await postSigned(`${url}${path}${shard}`, conversion)).text(), /endConvert":true|<EndConvert>True/)
  }
  for (const path of ['/command', '/coauthoring/CommandService.ashx']) {
    t.match(await (await postSigned(`${url}${path}${shard}`, { c: 'version' })).json(), { error: 0 })
  }
})
