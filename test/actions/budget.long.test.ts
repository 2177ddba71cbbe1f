import t from 'tap'
import type { CopiedAction } from '../../lib/index.js'
import { startHistorian } from '../kit/sessions.js'
import { ADA, HANDLER, startPageHost } from '../kit/host.js'
import { stoppedTime } from '../kit/time.js'

t.test('what one page can ask for is bounded, others are not affected, and a page gets no more by renewing its token', async t => {
  stoppedTime(t)
  const host = await startPageHost(t, { actions: { favorite: () => {}, create: () => ({ url: '/new' }) } })
  const token = await host.tokenOf()
  const statuses = new Map<number, number>()
  for (let count = 0; count < 30; count++) {
    const { status } = await host.ask('create', {}, { token })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  t.strictSame([...statuses.keys()], [200, 429])
  t.ok(statuses.get(429)! > statuses.get(200)!)
  const refused = await host.ask('create', {}, { token })
  t.equal(refused.body.code, 'FST_EDITOR_TOO_MANY_REQUESTS')
  t.match(refused.body.message, /try again in \d+ seconds/)
  t.match(refused.headers.get('retry-after'), /^[1-9]\d?$/)

  const { status, tokens } = await host.ask('renew', {}, { token })
  t.ok(status === 200 || status === 429)
  if (status === 200) t.equal((await host.ask('create', {}, { token: tokens.pageToken })).status, 429)
  t.equal((await host.ask('create', {}, { token: await host.tokenOf({ user: ADA }) })).status, 200, 'another page')
})

t.test('the version history counts as five: it saves what is being typed', async t => {
  stoppedTime(t)
  const host = await startPageHost(t, { versions: {} })
  const token = await host.tokenOf()
  const statuses = new Set<number>()
  for (let count = 0; count < 30; count++) statuses.add((await host.ask('history', {}, { token })).status)
  t.strictSame([...statuses], [200, 429])
})

t.test('however many wait to restore a document, its record is read and the document server is asked for all of them at once', async t => {
  let reads = 0
  const { edit, open, control, stored } = await startHistorian(t, {
    storing: storage => ({ ...storage, snapshot: async fileId => { reads++; return await storage.snapshot(fileId) } })
  })
  await edit('two')
  const session = await open()
  await session.edit('three')
  const controls = await Promise.all(Array.from({ length: 30 }, async () => await control()))
  reads = 0
  const outcomes = await Promise.allSettled(controls.map(async one => await one.restore(1, { timeout: 1000 })))
  t.ok(outcomes.every(({ status }) => status === 'rejected'))
  t.ok(reads > 0 && reads < 30 * 4, `${reads} reads`)
  t.match(await session.close(), { accepted: true })
  t.equal(await stored(), 'three')
})

t.test('actions.copied is told of each copy in the storage, and its failure is logged', async t => {
  const copies: CopiedAction[] = []
  let isFailing = false
  const { open, origin, stored, app, fileId, sent, control } = await startHistorian(t, {
    actions: {
      saveAs: true,
      copied (copy) {
        copies.push(copy)
        if (isFailing) throw new Error('no')
      }
    }
  })
  const session = await open()
  await session.edit('two')
  t.match(await session.close(), { accepted: true })
  const { url } = sent(2)[0]!.body as { url: string }
  const copy = async () => {
    const { pageToken } = await control()
    const response = await fetch(`${origin}${HANDLER}/actions/saveAs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
      body: JSON.stringify({ url, title: 'Copy', fileType: 'txt' })
    })
    return { status: response.status, body: await response.json() as { fileId: string } }
  }
  const first = await copy()
  t.equal(first.status, 200)
  t.match(copies, [{ fileId, copyFileId: first.body.fileId, title: 'Copy.txt', fileType: 'txt', user: ADA }])
  isFailing = true
  const second = await copy()
  t.equal(second.status, 200)
  t.ok(await app.editorStorage.stat(second.body.fileId))
  t.equal(await stored(), 'two')
})
