import t from 'tap'
import { forgedToken } from '../../../test/kit/document-server.js'
import { SECRET, sign, startBoth } from '../support.js'
import type { DocumentServer } from '../../lib/index.js'

/** What is to be read on the page: its text, tags taken out. */
async function read (server: DocumentServer): Promise<string> {
  const page = await (await fetch(`${server.url}/`)).text()
  return page.replace(/<[^>]*>/g, ' ').replace(/&quot;/g, '"').replace(/\s+/g, ' ')
}

t.test('the page shows the settings to configure, who has which document open, forgotten files and why an answer is not accepted', async t => {
  const { host, server } = await startBoth(t, { authorizationHeader: 'X-Document-Token' })
  t.match(await read(server), `URL of api.js ${server.editorApiUrl} `)
  t.match(await read(server), 'Token header X-Document-Token ')
  const session = await server.open(host.config('K', { user: { id: 'ada', name: 'Ada' } }))
  await server.open(host.config('K', { user: { id: 'bob', name: 'Bob' }, mode: 'view' }))
  await session.edit('changed')
  t.match(await read(server), ' K docx Ada, Bob (view only) 1 ')
  host.answers[2] = { body: '{"error":1}' }
  await session.close()
  t.match(await read(server), /saves that your service refused Document key Format Bytes K docx \d/)
  t.match(await read(server), 'POST ')
  t.match(await read(server), ' 2 K 200 {"error":1} Not accepted: it must be HTTP 200 with the JSON {"error":0}.')
})

t.test('the page contains no query string, token, secret or credentials, and escapes foreign text', async t => {
  const { host, server } = await startBoth(t)
  const token = forgedToken({ for: 'nobody' }, { secret: SECRET })
  const markup = '<script>alert("K")</script>'
  host.answers[1] = { body: JSON.stringify({ error: `${markup} see http://h/x?secret=in-answer and ${token}` }) }
  const { token: _, ...config } = host.config('K', { user: { id: 'x', name: markup } })
  const callbackUrl = `${host.origin.replace('//', '//name:password@')}/cb?a='"<&secret=in-callback`
  const changed = { ...config, editorConfig: { ...config.editorConfig, callbackUrl } }
  await server.open({ ...changed, token: sign(changed) })
  await server.open({ ...host.config('K2', { document: `/files/${token}?secret=in-document` }) }).catch(() => {})
  await fetch(`${server.url}/${markup}/${token}?secret=in-request`)
  const response = await fetch(`${server.url}/?secret=in-own`)
  const page = await response.text()

  t.notMatch(page, /secret=|\?f=1|password/)
  for (const part of token.split('.')) t.notMatch(page, part)
  t.notMatch(page, SECRET)
  t.notMatch(page, '<script')
  t.match(page, '&lt;script&gt;alert(&quot;K&quot;)&lt;/script&gt;')
  t.match(page, `POST ${host.origin}/cb</td>`)
  t.match(response.headers.get('content-security-policy'), /^default-src 'none'.*frame-ancestors 'none'$/)
})
