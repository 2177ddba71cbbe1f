import t from 'tap'
import type { CreateAction, TemplatesAction } from '../../lib/index.js'
import { ADA, startPageHost } from '../kit/host.js'

const GRACE = { id: 'grace', name: 'Grace' }
const HOUR = 60 * 60_000
const OFFERED: Readonly<Record<string, readonly string[]>> = { ada: ['letter', 'o.f"f\'er 1'], grace: ['salaries'] }

t.test('a page creates from a template that the hook has offered to it, and from no other', async t => {
  let now = Date.UTC(2026, 0, 1)
  const listed: TemplatesAction[] = []
  const created: CreateAction[] = []
  const denied = new Set<string>()
  const host = await startPageHost(t, {
    clock: { now: () => now },
    authorize: ({ action }) => denied.has(action) ? false : undefined,
    actions: {
      templates (action) {
        listed.push(action)
        return OFFERED[action.user?.id ?? '']!.map(id => ({ id, title: `Template ${id}`, fileType: 'dotx', thumbnail: 'https://app.example.com/x.png', secret: 'x' }))
      },
      create (action) {
        created.push(action)
        return { url: '/edit/new' }
      }
    }
  })
  const token = await host.tokenOf({ user: ADA })
  const foreign = { token: await host.tokenOf({ user: GRACE }) }
  const another = { token: await host.tokenOf({ user: ADA }) }

  const { status, body: { choices: [letter, offer] } } = await host.ask('templates', { fileType: 'DOCX', lang: 'de', search: 'te' }, { token })
  t.equal(status, 200)
  t.strictSame(listed.map(action => ({ ...action })), [{ fileId: host.fileId, user: ADA, fileType: 'docx', lang: 'de', search: 'te' }])
  t.strictSame(Object.keys(offer), ['title', 'fileType', 'thumbnail', 'data'])
  for (const { data } of [letter, offer]) t.equal((await host.ask('create', { fileType: 'docx', template: data }, { token })).status, 200)
  t.strictSame(created.map(({ template }) => template), OFFERED.ada)
  const { tokens: { pageToken } } = await host.ask('renew', {}, { token })
  t.equal((await host.ask('create', { template: letter.data }, { token: pageToken })).status, 200, 'the page has fresh tokens')

  created.length = 0
  const { body: { choices: [salaries] } } = await host.ask('templates', {}, foreign)
  const [expires, signature] = letter.data.token.split('.')
  for (const template of [
    salaries.data,
    { ...letter.data, id: 'salaries' },
    { ...letter.data, id: '../../etc/passwd' },
    { ...letter.data, token: '' },
    { ...letter.data, token: expires },
    { ...letter.data, token: `.${signature}` },
    { ...letter.data, token: `${Number(expires) + 1}.${signature}` },
    { ...letter.data, token: `${expires}.${signature}x` }
  ]) {
    t.match(await host.ask('create', { template }, { token }), { status: 403, body: { message: 'Forbidden' } }, JSON.stringify(template))
  }
  for (const options of [foreign, another]) t.equal((await host.ask('create', { template: letter.data }, options)).status, 403, 'another page')
  for (const template of ['letter', {}, { id: 'letter' }, { ...letter.data, id: 7 }, { ...letter.data, token: 'x'.repeat(101) }]) {
    t.equal((await host.ask('create', { template })).status, 400, JSON.stringify(template).slice(0, 50))
  }
  denied.add('create')
  t.equal((await host.ask('create', { template: letter.data }, { token })).status, 403, 'authorize is asked')
  denied.clear()
  now += HOUR + 1000
  const later = { token: (await host.ask('renew', {}, { token: await host.tokenOf({ user: ADA }) })).tokens.pageToken }
  t.equal((await host.ask('create', { template: letter.data }, later)).status, 403)
  t.strictSame(created, [])
  t.equal((await host.ask('create', {}, later)).status, 200, 'a blank document')
  t.notOk('template' in created[0]!)
})

t.test('at most 200 templates are listed', async t => {
  const host = await startPageHost(t, {
    actions: { templates: () => Array.from({ length: 300 }, (_, index) => ({ id: String(index), title: String(index) })) }
  })
  t.equal((await host.ask('templates')).body.choices.length, 200)
})
