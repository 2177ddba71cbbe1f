import t from 'tap'
import { startBoth } from '../../support.js'

const accepted: Record<string, { body: string, headers?: Record<string, string> }> = {
  'error 0': { body: '{"error":0}' },
  'error 0 among other fields': { body: '{"status":"ok","error":0}' },
  'error "0"': { body: '{"error":"0"}' },
  'error "0.0"': { body: '{"error":"0.0"}' },
  'error ""': { body: '{"error":""}' },
  'error false': { body: '{"error":false}' },
  'error []': { body: '{"error":[]}' },
  'error 0 after a byte order mark': { body: '\ufeff{"error":0}' },
  'error 0 as text/html': { body: '{"error":0}', headers: { 'content-type': 'text/html' } },
  'error 0 without a content type': { body: '{"error":0}', headers: {} }
}

for (const [title, answer] of Object.entries(accepted)) {
  t.test(`a status 2 answered HTTP 200 and ${title} is complete: changes and forgotten copy are deleted`, async t => {
    const { host, server } = await startBoth(t)
    host.answers[2] = { body: '{"error":1}' }
    const first = await server.open(host.config('K', { name: 'notes.txt' }))
    await first.edit('changed')
    await first.close()
    t.equal(server.forgotten.size, 1)

    host.answers[2] = answer
    const again = await server.open(host.config('K', { name: 'notes.txt' }))
    t.match(await again.close(), { status: 2, httpStatus: 200, accepted: true })
    t.equal(server.forgotten.size, 0)

    const last = await server.open(host.config('K', { name: 'notes.txt' }))
    t.strictSame(await last.content(), host.files.get('/files/notes.txt'), 'nothing is left of the change')
  })
}
