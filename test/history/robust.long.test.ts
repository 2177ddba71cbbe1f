import t from 'tap'
import { HANDLER } from '../kit/host.js'
import { GRACE, OLD, startHistorian } from '../kit/sessions.js'

t.setTimeout(300_000)

t.test('no save is refused because of what the document server says about its changes', async t => {
  const classic = await startHistorian(t, { inFiles: true, profile: 'classic' })
  await classic.edit('two')
  const { url } = classic.sent(2)[0]!.body as { url: string }
  const deep = `${'['.repeat(90)}${']'.repeat(90)}`
  const odd =
    `{"user":{"id":"odd","name":"","groups":${deep},"__proto__":{"id":"x"}},"__proto__":{"created":"x"},"more":${deep},"created":"2026-01-02 03:04:05"}`
  for (const [index, changes] of [odd, `${odd},{"user":{"id":"\\ud800${'x'.repeat(70_000)}"}}`, ''].entries()) {
    const path = `${url}&number=${index}` // a save is known by its key, time and path
    const body = `{"status":6,"key":"${await classic.key()}","url":"${path}","lastsave":"2126-01-02T03:04:0${index}.000Z","history":{"serverVersion":"${'9'.repeat(70_000)}","changes":[${changes}]}}`
    t.match(await classic.postCallback(classic.fileId, body), { body: '{"error":0}' })
  }
  t.match((await (await classic.control()).history()).history.slice(2), [
    { user: { id: 'odd' }, changes: [{ user: { id: 'odd' }, created: '2026-01-02 03:04:05' }] },
    { changes: null },
    { changes: [] }
  ])
})

t.test('a page that names only a part of a change restores nothing', async t => {
  const { edit, control, stored, origin, documentServer } = await startHistorian(t, { inFiles: true })
  await edit('two')
  const { pageToken } = await control()
  const statusOf = async (body: object) =>
    (await fetch(`${origin}${HANDLER}/actions/restore`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken }
    })).status
  for (const part of [{ url: `${documentServer.url}/cache/files/x` }, { fileType: 'txt' }]) {
    t.equal(await statusOf({ version: 1, ...part }), 400)
  }
  t.equal(await stored(), 'two')
  t.equal(await statusOf({ version: 1 }), 200)
  t.equal(await stored(), OLD)
})

t.test('where formats are ignored, a change that is restored does not rename the document', async t => {
  const { edit, open, control, sent, listing, stored, fileId } = await startHistorian(t, { inFiles: true, policies: { formatChange: 'ignore' } })
  const session = await open()
  await session.edit(Buffer.from('a,b'), { fileType: 'csv' })
  t.match(await session.close(), { accepted: true })
  await edit('three')
  await (await control()).restore(2, { result: { url: (sent(2)[0]!.body as { url: string }).url, fileType: 'csv' } })
  t.equal(await stored(), 'a,b')
  t.strictSame(await listing(), [`${fileId}.txt`])
})

t.test('one user cannot push out what others did, neither with restores nor with saves', async t => {
  for (const flood of ['restores', 'saves'] as const) {
    await t.test(flood, async t => {
      const { edit, control, contents, clock } = await startHistorian(t, { versions: { keep: 8 } })
      const days = ['monday', 'tuesday', 'wednesday', 'thursday']
      for (const content of days) {
        await edit(content)
        await clock.advance(24 * 60 * 60_000)
      }
      for (let round = 1; round <= 20; round++) {
        if (flood === 'restores') await (await control({ user: GRACE })).restore(round % 2 + 1)
        else await edit(`grace ${round}`, GRACE)
      }
      const left = (await contents()).map(([, content]) => content)
      t.equal(left.length, 9)
      t.strictSame(left.slice(0, 5), [OLD, ...days])
      if (flood === 'saves') t.equal(left[5], 'grace 1', 'the first version of an author stays longer, too')
    })
  }
})

t.test('100 versions have names; hostile names and missing versions are refused', async t => {
  const { edit, control } = await startHistorian(t, { versions: { keep: 1 } })
  for (let count = 1; count <= 100; count++) {
    await (await control()).nameVersion(count, { name: `v${count}` })
    await edit(`text ${count}`)
  }
  const opened = await control()
  t.equal((await opened.history()).history.length, 101)
  await t.rejects(opened.nameVersion(101, { name: 'one more' }), { code: 'FST_EDITOR_INVALID_OPTION' })
  await t.resolves(opened.nameVersion(100, { name: 'another name' }))
  await opened.nameVersion(7, null)
  await t.resolves(opened.nameVersion(101, { name: 'in its place' }))

  for (const wrong of [{}, { name: '' }, { name: ' ' }, { name: 'a\nb' }, { name: '\0' }, { name: 'x'.repeat(101) }, { name: 1 }, { name: 'x', comment: 'x'.repeat(501) }, { name: 'x', by: 'me' }, 'x', undefined]) {
    await t.rejects(opened.nameVersion(1, wrong as never), { code: 'FST_EDITOR_INVALID_OPTION' })
  }
  for (const version of [0, 102, 1.5, NaN]) await t.rejects(opened.nameVersion(version, { name: 'x' }), { code: 'FST_EDITOR_VERSION_NOT_FOUND' })
})
