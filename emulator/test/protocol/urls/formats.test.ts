import t from 'tap'
import { startDocumentServer } from '../../support.js'

interface Format {
  readonly name: string
  readonly type: string
  readonly actions: readonly string[]
  readonly convert: readonly string[]
  readonly mime: readonly string[]
}

t.test('/meta/formats lists the formats with their editor, actions, results of conversions and media types, and needs no token', async t => {
  const server = await startDocumentServer(t)
  const response = await fetch(`${server.url}/meta/formats`)
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/i)
  const formats = await response.json() as Format[]
  t.match(formats.find(({ name }) => name === 'docx'), {
    type: 'word',
    actions: ['view', 'edit', 'review', 'comment', 'encrypt'],
    mime: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document']
  })
  t.match(formats.find(({ name }) => name === 'odt')!.actions, ['view', 'lossy-edit', 'auto-convert'])
  t.match(formats.find(({ name }) => name === 'doc')!.actions, ['view', 'auto-convert'])
  t.match(formats.find(({ name }) => name === 'png'), { type: '', actions: [], convert: [] })
  const names = formats.map(({ name }) => name)
  t.equal(new Set(names).size, names.length)
  for (const { name, type, actions, convert, mime } of formats) {
    t.ok(['word', 'cell', 'slide', 'pdf', 'diagram', ''].includes(type), name)
    t.equal(actions.includes('view'), type !== '', name)
    t.notOk(convert.includes(name), name)
    for (const list of [actions, convert, mime]) t.ok(list.every(entry => typeof entry === 'string' && entry !== ''), name)
  }
})

t.test('a document server without a list of formats answers HTTP 404', async t => {
  const server = await startDocumentServer(t)
  server.fault('formats', { type: 'answer', status: 404, body: 'Not Found', headers: { 'content-type': 'text/plain; charset=utf-8' } })
  t.equal((await fetch(`${server.url}/meta/formats`)).status, 404)
  t.equal((await fetch(`${server.url}/meta/formats`)).status, 200)
})
