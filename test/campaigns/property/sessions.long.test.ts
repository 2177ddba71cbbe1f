import t from 'tap'
import { NEW, recordSessions, startEditing } from '../../kit/editing.js'
import { isOnS3, quickStorage } from '../../kit/storage.js'
import { random } from '../random.js'

/** Every listing reads the records of all of them. */
const FILES = isOnS3 ? 4 : 8
const REPORTS = 30

t.test('whatever is reported, in whatever order, on two instances: starts and ends of a session alternate, and list() has those that have not ended', async t => {
  const { events, hooks } = recordSessions()
  const options = {
    ...hooks,
    memory: true,
    storage: await quickStorage(t),
    publicBaseUrl: 'https://app.example.com',
    documentServerOrigin: 'http://127.0.0.1:9', // so that both instances have the same document server
    documentServer: { origins: 'any' },
    allowPrivateAddresses: true,
    policies: { corrupted: 'discard' },
    serve: (request, response) => response.writeHead(request.url?.includes('refused') === true ? 404 : 200).end(NEW)
  } satisfies Parameters<typeof startEditing>[1]
  const instances = [await startEditing(t, options), await startEditing(t, options)] as const
  const [{ keys, documentServer, storage }] = instances

  for (let seed = 1; seed <= FILES; seed++) {
    const { one, weighted } = random(seed)
    const { fileId } = await storage.create('txt', Buffer.from(`content ${seed}`))
    const documentKeys = ['a', 'b'].map(revision => keys.of({ fileId, revision }))
    const reports: string[] = []
    const first = events.length
    for (let count = 0; count < REPORTS; count++) {
      const url = `${documentServer.origin}/${seed}-${count}`
      const [name, fields] = weighted([
        [6, ['joined', { status: 1, users: ['u1'] }]],
        [2, ['only changes are left', { status: 1, users: [] }]],
        [2, ['closed', { status: 4 }]],
        [2, ['force-saved', { status: 6, url }]],
        [2, ['saved', { status: 2, url }]],
        [2, ['refused', { status: 2, url: `${url}-refused` }]],
        [1, ['nothing to store', { status: 2 }]],
        [1, ['corrupted', { status: 3 }]]
      ])
      const key = one(documentKeys)
      const instance = one(instances)
      reports.push(`${name} ${documentKeys.indexOf(key)} ${instances.indexOf(instance)}`)
      await instance.post({ ...fields, key }, fileId)

      const open = documentKeys.filter(key => {
        const names = events.slice(first).filter(([, event]) => event.key === key).map(([name]) => name)
        if (names.some((name, index) => name !== (index % 2 === 0 ? 'start' : 'end'))) t.fail(`${names.join()} after ${reports.join(', ')}`)
        return names.at(-1) === 'start'
      })
      if (name === 'only changes are left' && events.length > first) t.not(events.at(-1)?.[1].users?.length, 0, 'no session starts without a user')
      for (const { app } of instances) {
        const listed = (await app.editorSessions.list({ scan: true })).filter(session => session.fileId === fileId).map(
          ({ key }) => key
        )
        if (listed.sort().join() !== open.sort().join()) {
          return t.fail(`seed ${seed}: listed ${listed.length}, open ${open.length}, after ${reports.join(', ')}`)
        }
      }
    }
  }
  for (const reason of ['saved', 'unchanged', 'refused', 'discarded']) t.ok(events.some(([, event]) => 'reason' in event && event.reason === reason), reason)
})
