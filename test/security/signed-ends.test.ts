import t from 'tap'
import { urlSigner } from '../../lib/security/signatures.js'
import { HANDLER, signed, startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'

/** None is a plain number of seconds. Read as a number, some lie in the past, some in the future, and some nowhere. */
function oddEnds (later: number): string[] {
  return [
    '', ' ', ' 1', '1e9', 'abc', '0x99', '-1', 'Infinity', 'NaN', 'null', 'undefined', '1e99', '0xffffffffffff', '99999999999999999999', '0',
    `0${later}`, `+${later}`, `${later} `, ` ${later}`, `${later}.0`, `${later}.`, `${later}e0`, `${later},${later}`, `${later}n`, `${later}\n`, '٢٠٠٠٠٠٠٠٠٠'
  ]
}

const later = Math.floor(Date.now() / 1000) + 600

t.test('a signed download URL is refused if its expiry is not a plain number of seconds', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('txt', Buffer.from('content'))
  const signer = urlSigner([SECRET], () => host.origin + HANDLER)
  const download = (expires?: string) =>
    fetch(
      host.handler({
        action: 'download',
        fileId,
        ...(expires !== undefined && { expires }),
        signature: signer.sign({ purpose: 'download', fileId, expires })
      })
    )
  for (const expires of [undefined, ...oddEnds(later)]) t.equal((await download(expires)).status, 403, `"${expires}"`)
  t.equal(await (await download(String(later))).text(), 'content', 'a plain number of seconds is accepted')
})

t.test('a signed callback URL with any expiry is refused', async t => {
  const seen: string[] = []
  const host = await startHost(t, { onCallback: ({ fileId }) => { seen.push(fileId) } })
  const { fileId } = await host.storage.create('txt', Buffer.from('content'))
  const { documentKey: key } = await host.app.editorControl().openDocument(fileId)
  const signer = urlSigner([SECRET], () => host.origin + HANDLER)
  const payload = { key, status: 1, users: ['a'] }
  async function post (expires?: string): Promise<string> {
    const url = host.handler({
      action: 'callback',
      fileId,
      ...(expires !== undefined && { expires }),
      signature: signer.sign({ purpose: 'callback', fileId, expires })
    })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...payload, token: signed(payload) })
    })
    return await response.text()
  }
  for (const expires of [String(later), '1', ...oddEnds(later)]) t.equal(await post(expires), '{"error":1}', `"${expires}"`)
  t.strictSame(seen, [])
  t.equal(await post(), '{"error":0}', 'without one it is')
  t.strictSame(seen, [fileId])
})

t.test('a proxy token is refused if its expiry is not a plain number of seconds', async t => {
  const host = await startHost(t)
  const signer = urlSigner([SECRET], () => host.origin + HANDLER)
  async function report (expires: string): Promise<number> {
    const token = `${expires}.${signer.sign({ purpose: 'proxy', fileId: '', expires })}`
    const headers = { 'x-editor-proxy-token': Buffer.from(token).toString('latin1') }
    return (await fetch(host.handler({ action: 'report', fileId: '', code: '0' }), { method: 'POST', headers })).status
  }
  for (const expires of oddEnds(later).filter(end => !end.includes('\n'))) t.equal(await report(expires), 403, `"${expires}"`)
  t.equal(await report(String(later)), 204, 'a plain number of seconds is accepted')
})
