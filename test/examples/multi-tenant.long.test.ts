import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDocumentServer, type EditorConfig } from 'onlyoffice-emulator'
import t from 'tap'
import { configOf, startExample } from '../kit/programs.js'

const SECRETS = { north: 'a-secret-of-the-north-0123456789-abcdef', south: 'a-secret-of-the-south-0123456789-abcdef' }

t.test('example multi-tenant: what belongs to one customer opens and changes nothing of the other', async t => {
  const [north, south] = await Promise.all(
    [SECRETS.north, SECRETS.south].map(jwtSecret => createDocumentServer({ jwtSecret, libreOffice: false }))
  ) as [Server, Server]
  t.teardown(() => Promise.all([north.close(), south.close()]))
  const example = await startExample(t, 'multi-tenant/server.js', {
    env: { EDITOR_API_URL: north.editorApiUrl, JWT_SECRET: SECRETS.north, SOUTH_EDITOR_API_URL: south.editorApiUrl, SOUTH_JWT_SECRET: SECRETS.south }
  })
  const pageOf = async (tenant: string) => await configOf(`${example.url}/${tenant}/report`)
  const stored = (tenant: string) => readFile(join(example.directory, `App_Data/${tenant}/report.docx`))
  const untouched = await stored('south')

  const config = await pageOf('north')
  const session = await north.open(config)
  await session.edit('written by the north')
  t.match(await session.close(), { accepted: true })
  t.notSame(await stored('north'), untouched)
  t.same(await stored('south'), untouched, 'the same fileId is another document')

  const other = await pageOf('south')
  t.not(other.document?.key, config.document?.key)
  await t.rejects(south.open(config), { code: 4006 }, 'the configuration of the north')

  const atSouth = (url: string | undefined) => url!.replace('/north/', '/south/')
  t.equal((await fetch(atSouth(config.document?.url))).status, 403, 'a download URL of the north')
  const post = async (url: string | undefined) => {
    const response = await fetch(url!, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(lastCallback(north)) })
    return await response.json()
  }
  t.strictSame(await post(config.editorConfig?.callbackUrl), { error: 0 }, 'what its document server has signed, once more')
  t.strictSame(await post(atSouth(config.editorConfig?.callbackUrl)), { error: 1 }, 'a callback URL of the north')
  t.strictSame(await post(other.editorConfig?.callbackUrl), { error: 1 }, 'even at a callback URL of the south')
  t.same(await stored('south'), untouched)
  t.match(await example.stop(), { code: 0 })
})

type Server = Awaited<ReturnType<typeof createDocumentServer>>

function lastCallback ({ sentRequests }: Server): EditorConfig | null {
  return sentRequests.findLast(({ body }) => body?.status === 2)?.body ?? null
}
