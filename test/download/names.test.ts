import t from 'tap'
import { fileStorage, memoryStorage, type EditorStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { exchangeGet } from '../kit/http.js'

const names = {
  quotes: 'a"b\'c',
  backslash: 'a\\"b',
  'line breaks': 'a\r\nSet-Cookie: x=y\r\n\r\nb',
  'right-to-left mark': '\u202egnp.a\u200f',
  emoji: '😀👩‍👩‍👧',
  semicolons: 'a; filename="evil.html"',
  percent: '50%41 done',
  'five thousand letters': 'ü'.repeat(5000),
  path: '../../etc/passwd'
}

for (const [what, name] of Object.entries(names)) {
  t.test(`a document name with ${what} yields one valid Content-Disposition header`, async t => {
    const memory = memoryStorage()
    const { fileId } = await memory.create('docx', Buffer.from('content'))
    const named: EditorStorage = {
      ...memory,
      stat: async () => ({ ...(await memory.stat(fileId))!, fileId: name }),
      read: async () => ({ ...(await memory.read(fileId))!, info: { ...(await memory.stat(fileId))!, fileId: name } })
    }
    const host = await startHost(t, { profile: 'classic', storage: named })
    const answer = await exchangeGet(t, host.origin, new URL(host.handler({ action: 'download', fileId: 'any' })).pathname + '?action=download&fileId=any')
    const [head, body] = answer.split('\r\n\r\n')
    t.match(head, /^HTTP\/1\.1 200 /)
    t.equal(body, 'content')
    const lines = head!.split('\r\n').filter(line => /^(content-disposition|set-cookie):/i.test(line))
    t.equal(lines.length, 1, 'one header and none injected')
    t.match(lines[0], /^content-disposition: attachment; filename="(?:[^"\\]|\\.)*"(?:; filename\*=UTF-8''[\w%!#$&+.^`|~-]+)?$/)
    const extended = /filename\*=UTF-8''(\S+)$/.exec(lines[0]!)?.[1]
    if (extended) t.equal(decodeURIComponent(extended), `${name}.docx`.replace(/^.*\//, ''))
  })
}

t.test('a stored file with a non-Latin name is offered under that name', async t => {
  const directory = t.testdir({ 'Прогноз & план 100%.xlsx': 'content' })
  const host = await startHost(t, { profile: 'classic', storage: fileStorage({ directory }) })
  const response = await fetch(host.handler({ action: 'download', fileId: 'Прогноз & план 100%' }))
  t.equal(response.status, 200)
  const extended = /filename\*=UTF-8''(\S+)$/.exec(response.headers.get('content-disposition')!)![1]!
  t.equal(decodeURIComponent(extended), 'Прогноз & план 100%.xlsx')
})
