import { Readable } from 'node:stream'
import t from 'tap'
import type { EditorHttpClient, EditorHttpRequest } from '../../lib/index.js'
import { NEW, startEditing } from '../kit/editing.js'

/** A client of the host's own: answers with these bytes and keeps what it was asked. */
function client (body: () => Readable, headers: Record<string, string> = {}): EditorHttpClient & { readonly requests: EditorHttpRequest[] } {
  const requests: EditorHttpRequest[] = []
  return {
    requests,
    async request (request) {
      requests.push(request)
      return { status: 200, header: name => headers[name.toLowerCase()], body: body() }
    }
  }
}

const bytes = (text: string) => () => Readable.from([Buffer.from(text)], { objectMode: false })

t.test('where any origin is allowed, a custom HTTP client gets only the parsed url, without credentials and fragment', async t => {
  const httpClient = client(bytes(NEW))
  const editing = await startEditing(t, { httpClient, documentServer: { origins: 'any' }, allowPrivateAddresses: true })
  const { host } = new URL(editing.url)
  t.equal(await editing.post({ key: editing.key, status: 2, url: ` HTTP://u:p@${host}\\a\tb/../c?q=1#fragment` }), 0)
  t.strictSame(httpClient.requests.map(({ purpose, method, url }) => [purpose, method, url.href]), [['callback', 'GET', `http://${host}/c?q=1`]])
  t.equal(await editing.storedText(editing.fileId), NEW)
})

for (const [name, length] of [['fewer', '100'], ['more', '3']] as const) {
  t.test(`a custom HTTP client that returns ${name} bytes than announced fails the save`, async t => {
    const editing = await startEditing(t, { httpClient: client(bytes(NEW), { 'content-length': length }) })
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 1)
    await editing.unchanged(t, name)
  })
}

t.test('a custom HTTP client that rejects or breaks off fails the save: HTTP 200 and error 1', async t => {
  const broken: Record<string, EditorHttpClient> = {
    rejects: { request: async () => { throw new Error('no connection') } },
    'throws no error': { request: async () => { throw undefined } }, // eslint-disable-line no-throw-literal
    'breaks off': client(() => Readable.from((async function * () {
      yield Buffer.from('half a ')
      throw new Error('reset')
    })(), { objectMode: false }))
  }
  for (const [name, httpClient] of Object.entries(broken)) {
    await t.test(name, async t => {
      const editing = await startEditing(t, { httpClient })
      t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 1)
      await editing.unchanged(t, name)
    })
  }
})
