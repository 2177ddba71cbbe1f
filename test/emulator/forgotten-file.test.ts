import t from 'tap'
import { startDocumentServer, startFakeHost } from './support.js'

const refusals = {
  'an error in the answer': { body: '{"error":1}' },
  'another status than 200': { status: 204, body: '' },
  HTML: { body: '<p>ok</p>' },
  'an answer without error': { body: '{}' }
}

for (const [title, answer] of Object.entries(refusals)) {
  t.test(`a save refused by ${title} is kept and opened again`, async t => {
    const host = await startFakeHost(t)
    const server = await startDocumentServer(t)
    host.answers[2] = answer
    const config = host.config('K', { name: 'notes.txt' })

    const session = await server.open(config)
    await session.edit('not to be lost')
    t.equal((await session.close()).status, 2)
    t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), 'not to be lost')

    const again = await server.open(config)
    t.equal((await again.content()).toString(), 'not to be lost')
    host.answers = {}
    const { answer: last, ...result } = await again.close()
    t.match(result, { status: 2, httpStatus: 200 }, 'saved without a further change')
    t.equal(server.forgotten.size, 0)
  })
}

t.test('a save that no one answers is kept', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open({ ...host.config('K', { name: 'notes.txt', callback: '/cb' }) })
  await session.edit('not to be lost')
  host.answers[2] = { status: 302, headers: { location: 'http://127.0.0.1:1/' } }
  t.strictSame(await session.close(), { status: 2, httpStatus: null, answer: null, accepted: false })
  t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), 'not to be lost')
  t.match(server.requests.at(-1), { answer: null, error: Error })
})
