import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { postSigned, startBoth, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0], ...keys: string[]) {
  const { host, server } = await startBoth(t)
  const run = async (fields: object) => await (await postSigned(`${server.url}/command`, fields)).json() as Record<string, unknown>
  host.answers[2] = { status: 404, body: '' }
  for (const key of keys) {
    const session = await server.open(host.config(key, { name: 'notes.txt' }))
    await session.edit(`kept for ${key}`)
    await session.close()
  }
  return { host, server, run }
}

t.test('the file of getForgotten has the time at which it was stored as Last-Modified', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock({ start: Date.UTC(2026, 0, 2, 3, 4, 5) })
  const server = await startDocumentServer(t, { clock })
  const lastModified = async () => {
    const { url } = await (await postSigned(`${server.url}/command`, { c: 'getForgotten', key: 'K' })).json() as { url: string }
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.headers.get('last-modified')
  }
  host.answers[2] = { status: 404, body: '' }
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('kept')
  await session.close()
  clock.jump(3_600_000)
  t.equal(await lastModified(), 'Fri, 02 Jan 2026 03:04:05 GMT')
  t.equal(server.forgotten.get('K')!.storedAt, Date.UTC(2026, 0, 2, 3, 4, 5))

  const again = await server.open(host.config('K', { name: 'notes.txt' }))
  await again.close()
  t.equal(await lastModified(), 'Fri, 02 Jan 2026 04:04:05 GMT', 'refused again, stored again')
})

t.test('an empty key stands for all: getForgotten answers the file of another key, deleteForgotten deletes every one', async t => {
  const { server, run } = await start(t, 'L', 'K')
  const { url, ...answer } = await run({ c: 'getForgotten', key: '' })
  t.strictSame(answer, { key: '', error: 0 })
  t.equal(await (await fetch(String(url))).text(), 'kept for K')
  t.strictSame(await run({ c: 'deleteForgotten', key: '' }), { key: '', error: 0 })
  t.equal(server.forgotten.size, 0)
  t.strictSame(await run({ c: 'getForgottenList' }), { error: 0, keys: [] })
  for (const c of ['getForgotten', 'deleteForgotten']) t.strictSame(await run({ c, key: '' }), { key: '', error: 1 }, c)
})
