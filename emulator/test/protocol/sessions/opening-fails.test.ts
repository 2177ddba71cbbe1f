import t from 'tap'
import type { DocumentServerError, EditorConfig } from '../../../lib/index.js'
import { sign, startBoth, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server } = await startBoth(t)
  /** Which code an opening fails with, and what the editor was told. */
  async function refused (config: EditorConfig): Promise<{ code: number | null, events: unknown }> {
    return await server.open(config).then(() => { throw new Error('It opened') },
      ({ code, events }: DocumentServerError) => ({ code, events: events?.map(({ type }) => type) }))
  }
  const failed = (code: number) => ({ code, events: ['joined', 'failed'] })
  return { host, server, refused, failed }
}

t.test('a failed opening conversion stays with the key for good, without another download; a new key opens', async t => {
  const { host, server, refused, failed } = await start(t)
  server.fault('opening', { type: 'error', error: -82 })
  t.strictSame(await refused(host.config('K')), failed(-82))
  const downloads = () => host.received.filter(({ method }) => method === 'GET').length
  for (const mode of ['edit', 'view']) t.strictSame(await refused(host.config('K', { mode })), failed(-82), mode)
  t.equal(downloads(), 1)
  t.strictSame(host.statuses(), [1, 4, 1, 4])
  t.match(await (await server.open(host.config('L'))).close(), { status: 4 })
})

t.test('a relative callbackUrl opens with a warning', async t => {
  const { host, server } = await start(t)
  const { token, ...config } = host.config('K')
  const relative = { ...config, editorConfig: { ...config.editorConfig, callbackUrl: '/cb?f=1' } }
  const session = await server.open({ ...relative, token: sign(relative) })
  t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
  t.strictSame(host.statuses(), [])
})

t.test('for an editor with an empty user.id no 4 is sent either', async t => {
  const { host, server } = await start(t)
  const session = await server.open(host.config('K', { user: { id: '', name: '' } }))
  t.match(await session.close(), { status: null })
  t.strictSame(host.statuses(), [1])
})
