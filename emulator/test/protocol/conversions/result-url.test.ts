import t from 'tap'
import { request } from 'undici'
import { fakeClock } from '../../../lib/index.js'
import { sign, startDocumentServer, startFakeHost } from '../../support.js'

t.test('fileUrl names the host of the request and expires after 15 minutes', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock({ autoAdvance: true })
  const server = await startDocumentServer(t, { clock, allowedHosts: ['docs.internal'] })
  const fields = { async: false, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  const convert = async (headers: Record<string, string>) => {
    const { body } = await request(`${server.url}/converter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...fields, token: sign(fields) })
    })
    return (await body.json() as { fileUrl: string }).fileUrl
  }
  t.match(await convert({ host: 'docs.internal:8080' }), /^http:\/\/docs\.internal:8080\/cache\//)
  t.match(await convert({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'docs.example.com' }), /^https:\/\/docs\.example\.com\/cache\//)
  const own = await convert({})
  t.equal(new URL(own).origin, server.url)

  clock.jump(899_000)
  t.equal((await fetch(own)).status, 200)
  clock.jump(3000)
  t.equal((await fetch(own)).status, 410)
  t.equal((await fetch(await convert({}))).status, 200, 'the cached result has a new address')
})
