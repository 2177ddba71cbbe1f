import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

t.test('getForgotten gives url, getForgottenList keys; deleteForgotten deletes, and 1 is for unknown keys', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const run = async (fields: object) => await (await postSigned(`${server.url}/command`, fields)).json() as Record<string, unknown>
  t.strictSame(await run({ c: 'getForgottenList' }), { error: 0, keys: [] })

  host.answers[2] = { status: 404, body: '' }
  for (const key of ['K', 'L']) {
    const session = await server.open(host.config(key, { name: 'notes.txt' }))
    await session.edit(`kept for ${key}`)
    await session.close()
  }
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
