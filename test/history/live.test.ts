import t from 'tap'
import type { EditorControlDefaults } from '../../lib/index.js'
import { ADA, HANDLER } from '../kit/host.js'
import { forceSaveAnswers, type Historian, OLD, startHistorian } from '../kit/sessions.js'
import { holdTimers } from '../kit/time.js'

/** What a page gets when its user opens the version history. */
async function askHistory (
  { app, origin, fileId }: Historian,
  defaults: EditorControlDefaults = { user: ADA }
): Promise<{ readonly currentVersion: number, readonly history: ReadonlyArray<{ readonly version: number }> }> {
  const { pageToken } = await app.editorControl(defaults).openDocument(fileId)
  const response = await fetch(`${origin}${HANDLER}/actions/history`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
    body: '{}'
  })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return await response.json() as Awaited<ReturnType<typeof askHistory>>
}

t.test('the history of a live document has what is being typed; who may not edit causes no save', async t => {
  const historian = await startHistorian(t)
  const { open, stored, contents, documentServer, sent } = historian
  const session = await open()
  await session.edit('being typed')
  for (const defaults of [{ mode: 'view' }, { permissions: { edit: false, comment: true } }, { type: 'embedded' }] as const) {
    t.match(await askHistory(historian, { user: ADA, history: true, ...defaults }), { currentVersion: 1 })
  }
  t.strictSame([forceSaveAnswers(documentServer), await stored()], [[], OLD])
  t.match(await askHistory(historian), { currentVersion: 2, history: [{ version: 1 }, { version: 2, user: ADA }] })
  t.strictSame(await contents(), [[1, OLD], [2, 'being typed']])
  t.strictSame([forceSaveAnswers(documentServer), sent(6).length], [[0], 1])
  await session.close()
  t.match(await askHistory(historian), { currentVersion: 2 }, 'nobody edits it')
})

t.test('a history whose document cannot be saved has what is stored, after a while at the latest', async t => {
  let waits = () => {}
  let release = () => {}
  const waiting = new Promise<void>(resolve => { waits = resolve })
  const held = new Promise<void>(resolve => { release = resolve })
  const historian = await startHistorian(t, {
    async onCallback ({ status }) {
      if (status !== 6) return
      waits()
      await held
    }
  })
  const session = await historian.open()
  await session.edit('being typed')
  const timers = holdTimers(t, 8000)
  const asking = askHistory(historian)
  await waiting
  timers.pass()
  t.match(await asking, { currentVersion: 1 })
  release()
  await session.close()

  const again = await historian.open()
  await again.edit('more')
  await historian.documentServer.close()
  t.match(await askHistory(historian), { history: { length: Number } }, 'a document server that is away')
})
