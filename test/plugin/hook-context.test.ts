import t from 'tap'
import { startEditing } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'

t.test('the logger of a hook names the plugin, the hook and its document, and the request if one waits for it', async t => {
  const log = memoryLog()
  const { post, key, url, fileId, app } = await startEditing(t, {
    server: log.server,
    authorize: (_target, { log }) => { log.info('in a hook') },
    onSaved: (_event, { log }) => { log.info('in a hook') }
  })
  t.equal(await post({ key, status: 2, url }), 0)
  await app.close()
  const named = { plugin: 'fastify-onlyoffice', fileId }
  t.match(log.records().filter(({ msg }) => msg === 'in a hook'), [
    { ...named, hook: 'authorize', reqId: /./ },
    { ...named, hook: 'onSaved', key }
  ])
})

t.test('the signal of a hook is aborted when its time is up, and not when it has returned', async t => {
  const signals: AbortSignal[] = []
  const { post, key, url } = await startEditing(t, {
    timeouts: { hooks: 100 },
    onCallback: (_event, { signal }) => { signals.push(signal) },
    async onSaved (_event, { signal }) {
      signals.push(signal)
      await new Promise(() => {})
    }
  })
  t.equal(await post({ key, status: 2, url }), 0)
  t.match(signals, [{ aborted: false }, { aborted: true, reason: { code: 'FST_EDITOR_HOOK_TIMEOUT' } }])
})
