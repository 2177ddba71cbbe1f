import { Readable } from 'node:stream'
import t from 'tap'
import { memoryStorage } from '../../lib/index.js'
import { expectReport, findingOf, startSetUp } from './support.js'

t.setTimeout(300_000)

t.test('a conversion that never ends', { timeout: 300_000 }, async t => {
  const { host, documentServer } = await startSetUp(t)
  documentServer.fault('conversion', { type: 'slow', ms: 10 * 60_000 })
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: ['CONVERSION_TIMEOUT'], remedy: /RabbitMQ/ })
  t.match(findingOf(report, 'STORAGE'), { status: 'ok' })
  t.ok(report.durationMs < 60_000, 'within the time limit')
})

t.test('a storage that never answers, and one that stores other bytes', async t => {
  const storage = memoryStorage()
  const silent = { ...storage, snapshot: async () => await new Promise<never>(() => {}) }
  const { host } = await startSetUp(t, { storage: silent, timeouts: { storage: 1000 } })
  expectReport(t, await host.app.editorDoctor(), { codes: ['STORAGE_FAILED'], evidence: ['FST_EDITOR_STORAGE_TIMEOUT'] })

  const lossy = { ...storage, stage: async (fileId: string) => await storage.stage(fileId, Readable.from([Buffer.from('something else')])) }
  const other = await startSetUp(t, { storage: lossy })
  expectReport(t, await other.host.app.editorDoctor(), { codes: ['STORAGE_FAILED'], evidence: ['OTHER_BYTES_THAN_WRITTEN'] })
})
