import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { startDocumentServer, startFakeHost } from '../../support.js'

async function startWithFailure (t: Parameters<typeof startFakeHost>[0], answer: { status?: number, body: string }, corrupted = false) {
  const host = await startFakeHost(t)
  const clock = fakeClock({ autoAdvance: true })
  const server = await startDocumentServer(t, { clock })
  const config = host.config('K', { name: 'notes.txt' })
  const session = await server.open(config)
  for (const text of ['one', 'two', 'three']) await session.edit(text)
  server.fault('assembly', { type: 'fail', corrupted })
  host.answers[3] = answer
  const result = await session.close()
  const open = async () => await server.open(config)
  return { host, clock, server, result, open }
}

for (const [title, answer] of Object.entries({ 'error 1': { body: '{"error":1}' }, 'HTTP 500': { status: 500, body: '' } })) {
  t.test(`a status 3 answered ${title}: the changes are kept and restored with the same key`, async t => {
    const { host, server, result, open } = await startWithFailure(t, answer)
    t.match(result, { status: 3, accepted: false })
    t.equal(server.forgotten.size, 0)
    const again = await open()
    t.match(await again.nextEvent('unsavedChanges'), { count: 3 })
    t.equal((await again.content()).toString(), 'three')
    t.match(await again.close(), { status: 2, accepted: true })
    t.equal(await (await fetch(String(host.callbacks(2)[0]!.url))).text(), 'three')
  })
}
