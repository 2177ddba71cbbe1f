import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('each user has their own callbackUrl: 1 and 4 go to the user who joined or left, 2 to the user who changed last', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const paths = () => host.received.flatMap(({ path, body }) => body === null ? [] : [`${String(body.status)} ${path}`])
  const open = async (key: string, id: string) => await server.open(host.config(key, { user: { id, name: id }, callback: `/cb?of=${id}` }))
  const ada = await open('K', 'ada')
  const grace = await open('K', 'grace')
  await ada.close()
  await grace.close()
  t.strictSame(paths(), ['1 /cb?of=ada', '1 /cb?of=grace', '1 /cb?of=ada', '4 /cb?of=grace'])

  const [first, second] = [await open('L', 'ada'), await open('L', 'grace')]
  await first.edit('one')
  await second.edit('two')
  await second.close()
  await first.close()
  t.equal(paths().at(-1), '2 /cb?of=grace')
})

t.test('path and query of a callbackUrl are kept, other characters percent-encoded, a fragment dropped', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('K', { callback: '/cb/Größe 1/a%2Fb?f=1&f=ü&empty=#part' }))).close()
  t.equal(host.received[0]!.path, '/cb/Gr%C3%B6%C3%9Fe%201/a%2Fb?f=1&f=%C3%BC&empty=')
})
