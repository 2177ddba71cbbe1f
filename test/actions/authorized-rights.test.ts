import t from 'tap'
import type { AuthorizeTarget, EditorControlDefaults } from '../../lib/index.js'
import { ADA, startPageHost } from '../kit/host.js'

type PageTarget = Extract<AuthorizeTarget, { rights: object }>
type Seen = Omit<PageTarget, 'action' | 'fileId' | 'user'>

const all = { edit: true, comment: true, download: true, history: true }
const reading = { edit: false, comment: false, download: true, history: false }

const pages: Array<[defaults: EditorControlDefaults, seen: Seen]> = [
  [{}, { mode: 'edit', permissions: {}, rights: all }],
  [{ mode: 'view' }, { mode: 'view', permissions: {}, rights: reading }],
  [{ editorConfig: { mode: 'view' } }, { mode: 'view', permissions: {}, rights: reading }],
  [{ mode: 'edit', editorConfig: { mode: 'view' } }, { mode: 'edit', permissions: {}, rights: all }],
  [{ type: 'embedded' }, { mode: 'edit', permissions: {}, rights: reading }],
  [{ permissions: { edit: false, comment: true, print: false } }, {
    mode: 'edit',
    permissions: { edit: false, comment: true, print: false },
    rights: { ...all, edit: false, history: false }
  }],
  [{ document: { permissions: { download: false } } }, {
    mode: 'edit',
    permissions: { download: false },
    rights: { ...all, download: false }
  }],
  [
    { permissions: { review: false }, document: { permissions: { edit: false } } },
    { mode: 'edit', permissions: { review: false }, rights: all }
  ]
]

t.test('authorize sees the mode, permissions and rights of the page that asks, whatever its request says', async t => {
  const targets: AuthorizeTarget[] = []
  const host = await startPageHost(t, {
    actions: { favorite: () => {} },
    authorize: target => {
      targets.push(target)
      return undefined
    }
  })
  for (const [defaults, seen] of pages) {
    const token = await host.tokenOf({ user: ADA, ...defaults })
    for (const action of ['favorite', 'renew', 'config'] as const) {
      targets.length = 0
      t.equal((await host.ask(action, { purpose: 'refresh', favorite: true, mode: 'edit', permissions: { edit: true }, rights: all }, { token })).status, 200)
      t.strictSame(targets, [{ action, fileId: host.fileId, user: ADA, ...seen }], JSON.stringify(defaults))
    }
  }
})

t.test('authorize can refuse by them, and what it does to them changes nothing', async t => {
  let canWrite = true
  const host = await startPageHost(t, {
    actions: { rename: () => {}, favorite: () => {} },
    authorize (target) {
      if (!('rights' in target)) return undefined
      if (target.rights.edit && !canWrite) return false
      Object.assign(target.rights, { edit: true })
      Object.assign(target.permissions, { edit: true })
      return undefined
    }
  })
  const [editing, reading] = [
    await host.tokenOf({ user: ADA }),
    await host.tokenOf({ user: ADA, permissions: { edit: false } })
  ]
  const statuses = async (
    action: string,
    body: object
  ) => [
    (await host.ask(action, body, { token: editing })).status,
    (await host.ask(action, body, { token: reading })).status
  ]
  t.strictSame(await statuses('rename', { name: 'New' }), [200, 403])
  t.strictSame(await statuses('favorite', { favorite: true }), [200, 200])
  const { pageToken } = (await host.ask('renew', {}, { token: reading })).tokens
  t.equal((await host.ask('rename', { name: 'New' }, { token: pageToken })).status, 403)
  canWrite = false
  t.strictSame(await statuses('favorite', { favorite: true }), [403, 200], 'a page that was made when its user could still write')
})
