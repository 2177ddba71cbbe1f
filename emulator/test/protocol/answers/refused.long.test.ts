import t from 'tap'
import { postSigned, startBoth } from '../../support.js'

const refusals: Record<string, { status?: number, body?: string }> = {
  'another error': { body: '{"error":1}' },
  'error null': { body: '{"error":null}' },
  'error true': { body: '{"error":true}' },
  'error {}': { body: '{"error":{}}' },
  'a JSON text': { body: '"0"' },
  'an answer without error': { body: '{}' },
  'an empty body': { body: '' },
  HTML: { body: '<!DOCTYPE html><p>{"error":0}</p>' },
  'HTTP 201': { status: 201, body: '{"error":0}' },
  'HTTP 204': { status: 204, body: '' },
  'HTTP 400': { status: 400, body: '{"error":0}' },
  'HTTP 404': { status: 404, body: '{"error":0}' },
  'HTTP 499': { status: 499, body: '{"error":0}' }
}

for (const [title, answer] of Object.entries(refusals)) {
  t.test(`a status 2 answered ${title} is not retried: the file is kept as forgotten`, async t => {
    const { host, server } = await startBoth(t)
    host.answers[2] = answer
    const session = await server.open(host.config('K', { name: 'notes.txt' }))
    await session.edit('not to be lost')
    t.match(await session.close(), { status: 2, httpStatus: answer.status ?? 200, accepted: false })
    t.strictSame(host.statuses(), [1, 2])
    t.strictSame([...server.forgotten].map(([key, { fileType, bytes }]) => [key, fileType, Buffer.from(bytes).toString()]),
      [['K', 'txt', 'not to be lost']])
  })
}

t.test('the command saved with a status other than "1" revokes an accepted status 2: the file is kept as forgotten', async t => {
  const { host, server } = await startBoth(t)
  const closed = async (status: unknown) => {
    host.beforeAnswer = async ({ status: of, key }) => {
      if (of === 2) await postSigned(`${server.url}/command`, { c: 'saved', key, status })
    }
    const session = await server.open(host.config(`${typeof status}-${String(status)}`))
    await session.edit('changed')
    return await session.close()
  }
  t.match(await closed('1'), { accepted: true })
  t.match(await closed(undefined), { accepted: true })
  t.equal(server.forgotten.size, 0)
  t.match(await closed('0'), { status: 2, httpStatus: 200, accepted: false })
  t.match(await closed(1), { accepted: false }, 'a number is not a valid value')
  t.strictSame([...server.forgotten.keys()], ['string-0', 'number-1'])
  t.equal(host.callbacks(2).length, 4, 'not sent again')
})
