import t from 'tap'
import { errorOf, startEditing } from '../kit/editing.js'
import { HANDLER, signed } from '../kit/host.js'
import { send } from '../kit/http.js'

t.test('no answer of authorize lets in a callback without signature or token, from a server or from a page', async t => {
  let asked = 0
  const editing = await startEditing(t, { authorize () { asked++; return 'grant' } })
  const { fileId, key, url, urls, origin } = editing
  const save = { key, status: 2, url }
  const withToken = { ...save, token: signed(save) }
  const headersOfSenders = [{}, { origin }, { 'sec-fetch-site': 'same-origin' }]
  for (const [address, body] of [
    [editing.handler({ action: 'callback', fileId }), save],
    [editing.handler({ action: 'callback', fileId }), withToken],
    [urls.callback(fileId), save],
    [`${origin}${HANDLER}?action=callback&fileId=${fileId}&signature=`, withToken]
  ] as const) {
    for (const headers of headersOfSenders) {
      const answer = await send(address, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
      t.equal(answer.body, '{"error":1}', `${address.replace(origin, '')} ${JSON.stringify(headers)}`)
    }
  }
  t.equal(asked, 0, 'and it is not asked')
  await editing.unchanged(t, 'nothing was let in')
  t.equal(errorOf((await editing.postCallback(fileId, withToken)).body), 0)
})

t.test('authorize can deny a callback that has both', async t => {
  const editing = await startEditing(t, { authorize: ({ action }) => action === 'callback' ? false : undefined })
  t.equal(await editing.post({ status: 2, url: editing.url }), 1)
  await editing.unchanged(t, 'denied')
})
