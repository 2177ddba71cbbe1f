import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import { errorOf, NEW, OLD, startEditing } from '../kit/editing.js'
import { HANDLER, signed } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { handlerUrls } from '../../lib/security/signatures.js'

/** Posts a good save, with its token, to an address. Resolves to the answered `error`. */
async function save (address: string, { key, url }: { readonly key: string, readonly url: string }): Promise<unknown> {
  const fields = { key, status: 2, url }
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, token: signed(fields) })
  })
  return errorOf(await answer.text())
}

t.test('the signature of a callback URL is valid for exactly what it was made for', async t => {
  const editing = await startEditing(t)
  const { fileId, origin } = editing
  const good = new URL(editing.urls.callback(fileId))
  const signature = good.searchParams.get('signature')!
  const settings = { publicBaseUrl: () => origin, path: HANDLER, secrets: [SECRET], signedUrls: true, downloadUrlLifetime: 60_000 }
  const withSignature = (text: string) => editing.handler({ action: 'callback', fileId, signature: text })
  const signatureOf = (url: string) => new URL(url).searchParams.get('signature')!

  const worthless: Record<string, string> = {
    empty: withSignature(''),
    'of the download URL': withSignature(signatureOf(editing.urls.download(fileId))),
    'of the download URL, with its time': `${editing.urls.download(fileId).replace('download', 'callback')}`,
    'of another path': withSignature(signatureOf(handlerUrls({ ...settings, path: '/other' }).callback(fileId))),
    'for a single key, without it': withSignature(signatureOf(editing.urls.callback(fileId, editing.key))),
    cut: withSignature(signature.slice(0, -1)),
    longer: withSignature(`${signature}A`),
    padded: withSignature(`${signature}=`),
    'in hexadecimal': withSignature(Buffer.from(signature, 'base64url').toString('hex')),
    'with a blank': withSignature(` ${signature}`),
    'that is the secret': withSignature(SECRET),
    'with a time': `${good.href}&expires=${Math.ceil(Date.now() / 1000) + 60}`,
    'with a key': `${good.href}&key=${editing.key}`,
    'given twice': `${good.href}&signature=${signature}`
  }
  for (const [name, address] of Object.entries(worthless)) t.equal(await save(address, editing), 1, name)
  for (let position = 0; position < signature.length; position++) {
    const changed = signature.slice(0, position) + (signature[position] === 'A' ? 'B' : 'A') + signature.slice(position + 1)
    t.equal(await save(withSignature(changed), editing), 1, `character ${position} changed`)
  }
  t.strictSame(editing.documentServer.requests, [], 'no outbound request')
  t.equal(await editing.storedText(fileId), OLD)

  t.equal(await save(`${good.href}&mine=1`, editing), 0, 'parameters of the host\'s own do not matter')
  t.equal(await editing.storedText(fileId), NEW)
})

t.test('a callback without a valid URL signature is refused before its body has arrived', async t => {
  const editing = await startEditing(t)
  const { hostname, port, host } = new URL(editing.origin)
  for (const query of [`fileId=${editing.fileId}`, `fileId=${editing.fileId}&signature=made-up`]) {
    const socket = net.connect(Number(port), hostname)
    t.teardown(() => socket.destroy())
    socket.write(`POST ${HANDLER}?action=callback&${query} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`)
    const [answer] = await once(socket, 'data') as [Buffer]
    t.match(answer.toString(), /^HTTP\/1\.1 200 OK[\s\S]*\{"error":1\}/)
  }
})
