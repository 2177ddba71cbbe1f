import t from 'tap'
import type { FastifyOnlyofficeOptions } from '../../lib/index.js'
import { ADA, startPageHost } from '../kit/host.js'
import { deferred } from '../kit/time.js'

type CanEdit = NonNullable<FastifyOnlyofficeOptions['canEdit']>

t.test('canEdit: false, or a reason, opens the document for viewing', async t => {
  let answer: boolean | string | Promise<string> = true
  const asked: Array<Parameters<CanEdit>[0]> = []
  const callers: unknown[] = []
  const { app, fileId, ask, tokenOf } = await startPageHost(t, {
    canEdit (target, { request }) {
      asked.push(target)
      callers.push(request?.routeOptions.config.onlyoffice?.caller)
      return answer
    },
    actions: { rename () {} }
  })
  const open = async (defaults: object = { user: ADA }) => await app.editorControl(defaults).openDocument(fileId)
  t.equal((await open()).lockReason, null)
  t.strictSame(asked, [{ fileId, user: ADA }])
  for (const [given, reason] of [[false, ''], ['', ''], ['Grace has locked it', 'Grace has locked it'], [Promise.resolve('Later'), 'Later']] as const) {
    answer = given
    const control = await open()
    t.equal(control.lockReason, reason)
    t.match(control.config, { editorConfig: { mode: 'view' }, document: { permissions: { edit: false, comment: false } } })
    t.match(control.render(), `data-lock-reason="${reason}"`)
    t.notMatch(control.render(), /data-actions="[^"]*rename/)
  }
  const before = asked.length
  for (const defaults of [{ mode: 'view' }, { permissions: { edit: false } }, { type: 'embedded' }]) t.equal((await open(defaults)).lockReason, null)
  t.equal(asked.length, before, 'who may not edit anyway is not asked about')
  t.equal((await open({ permissions: { edit: false, comment: true } })).lockReason, 'Later', 'a comment is a change, too')

  const token = await tokenOf()
  t.match(await ask('config', { purpose: 'reopen' }, { token }), { body: { lockReason: 'Later', config: { editorConfig: { mode: 'view' } } } })
  t.strictSame([callers[0], callers.at(-1)], [undefined, 'page'])
  t.match(await ask('rename', { name: 'Other.docx' }, { token }), { status: 423, body: { code: 'FST_EDITOR_LOCKED' } })
  answer = true
  t.match(await ask('config', { purpose: 'reopen' }, { token }), { body: { lockReason: undefined, config: { editorConfig: { mode: 'edit' } } } })
  t.equal((await ask('rename', { name: 'Other.docx' }, { token })).status, 200)
})

t.test('canEdit: if it fails or takes too long, the document opens for viewing', async t => {
  const never = deferred<boolean>()
  const wrong: Record<string, CanEdit> = {
    'it throws': () => { throw new Error('no connection') },
    'it rejects': async () => await Promise.reject(new Error('no connection')),
    'it returns nothing': (() => {}) as unknown as CanEdit,
    'it returns 1': (() => 1) as unknown as CanEdit,
    'it never settles': () => never.promise
  }
  for (const [name, canEdit] of Object.entries(wrong)) {
    const { app, fileId, logText } = await startPageHost(t, { canEdit, timeouts: { hooks: 100 } })
    const control = await app.editorControl({ user: ADA }).openDocument(fileId)
    t.equal(control.lockReason, '', name)
    t.match(control.config, { editorConfig: { mode: 'view' } })
    t.match(logText(), 'the hook canEdit failed')
  }
})

t.test('canEdit: also where the application names another URL of the document', async t => {
  const { app, fileId } = await startPageHost(t, { canEdit: () => 'Grace has locked it' })
  const control = await app.editorControl().openDocument(fileId)
  control.documentUrl = 'https://cdn.example.com/Notes.docx'
  t.equal(control.lockReason, 'Grace has locked it')
  t.match(control.config, { editorConfig: { mode: 'view' }, document: { permissions: { edit: false } } })
})
