import t from 'tap'
import type { AuthorizeTarget } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

t.test('authorize: true allows a download without a credential, undefined applies the built-in rules, false and a thrown error deny', async t => {
  const targets: AuthorizeTarget[] = []
  let decide: () => boolean | undefined | Promise<boolean | undefined>
  for (const profile of ['secure', 'classic'] as const) {
    const host = await startHost(t, {
      profile,
      authorize (request, target) {
        targets.push(target)
        t.equal(request.headers['x-user'], 'ada', 'sees the request')
        return decide()
      }
    })
    const { fileId } = await host.storage.create('docx', Buffer.from('content'))
    const headers = { 'x-user': 'ada' }
    const table = [
      { name: 'true', decision: () => true, bare: 200, withToken: 200 },
      { name: 'true, later', decision: async () => true, bare: 200, withToken: 200 },
      { name: 'undefined', decision: () => undefined, bare: profile === 'secure' ? 401 : 200, withToken: 200 },
      { name: 'false', decision: () => false, bare: 403, withToken: 403 },
      { name: 'throw', decision: () => { throw new Error('the session store is down') }, bare: 403, withToken: 403 },
      { name: 'rejection', decision: () => Promise.reject(new Error('the session store is down')), bare: 403, withToken: 403 }
    ]
    for (const { name, decision, bare, withToken } of table) {
      decide = decision
      const plain = await fetch(host.handler({ action: 'download', fileId }), { headers })
      t.equal(plain.status, bare, `${profile}: ${name}, no token`)
      t.notMatch(await plain.text(), 'session store', 'the application\'s own error is not exposed')
      t.equal((await host.downloadAsDocumentServer(fileId, headers)).status, withToken, `${profile}: ${name}, token`)
    }
    t.strictSame(targets.splice(0), Array(12).fill({ action: 'download', fileId }))
  }
})
