import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0], ...keys: string[]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const run = async (fields: object) => await (await postSigned(`${server.url}/command`, fields)).json() as Record<string, unknown>
  host.answers[2] = { status: 404, body: '' }
  for (const key of keys) {
    const session = await server.open(host.config(key, { name: 'notes.txt' }))
    await session.edit(`kept for ${key}`)
    await session.close()
  }
  return { host, server, run }
}

t.test('getForgotten answers the url, getForgottenList the keys; deleteForgotten deletes, and 1 is for unknown keys', async t => {
  const { host, server, run } = await start(t, 'K', 'L')
  t.strictSame(await run({ c: 'getForgottenList' }), { error: 0, keys: ['K', 'L'] })
  const { url, ...answer } = await run({ c: 'getForgotten', key: 'K' })
  t.strictSame(answer, { key: 'K', error: 0 })
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+\/cache\/files\/forgotten\/K\/output\.txt\/output\.txt\?md5=[\w-]{22}&expires=\d+&shardkey=K&filename=output\.txt$/)
  t.equal(await (await fetch(String(url))).text(), 'kept for K')

  t.strictSame(await run({ c: 'deleteForgotten', key: 'K' }), { key: 'K', error: 0 })
  t.strictSame(await run({ c: 'getForgottenList' }), { error: 0, keys: ['L'] })
  for (const c of ['getForgotten', 'deleteForgotten']) t.strictSame(await run({ c, key: 'K' }), { key: 'K', error: 1 }, c)
  const reopened = await server.open(host.config('K', { name: 'notes.txt' }))
  t.strictSame(await reopened.content(), host.files.get('/files/notes.txt'), 'the key opens from document.url')
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
