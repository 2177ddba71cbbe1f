import t from 'tap'
import { startBrowser, textBox } from '../../../../test/kit/browser.js'
import { openPackage } from '../../../lib/documents/office/package.js'
import { claimsOf, headerClaims, sign } from '../../support.js'
import { startEditing } from './pages.js'

const browser = await startBrowser(t)
const EVENTS = ['onRequestHistory', 'onRequestHistoryData', 'onRequestRestore', 'onRequestHistoryClose']

t.test('version history: the versions of the page are shown, also those of authors without an id, fetched by the document server with what the token signs; restore and close ask the page', { skip: browser.missing }, async t => {
  const { host, open } = await startEditing(t, browser)
  for (const [name, text] of [['v1', 'first\nshared\n'], ['v2', 'second\nshared\n']] as const) {
    host.files.set(
      `/${name}.txt`,
      Buffer.from(text)
    )
  }
  const entry = (version: number) => ({
    version,
    key: `key-${version}`,
    created: `2026-11-0${version} 10:00`,
    user: version === 1 ? { id: '', name: '' } : { id: 'uid-1', name: 'John Smith' }
  })
  const data = (version: number) => ({
    version,
    fileType: 'txt',
    key: `key-${version}`,
    url: `${host.origin}/v${version}.txt`,
    ...version > 1 ? { previous: { fileType: 'txt', key: 'key-1', url: `${host.origin}/v1.txt` } } : {}
  })
  const { button, choose, call, event, events, frame, problems, sent, stopTimers, page, type } = await open('K', {
    file: 'notes.txt',
    handled: [...EVENTS, 'onRequestUsers']
  })
  t.strictSame(await event('onRequestUsers'), { c: 'info', id: ['uid-1'] })

  await type('typed')
  await choose('Version history')
  t.equal(await event('onRequestHistory'), undefined)
  // It shows for some seconds only.
  await Promise.all([
    frame.getByText('There is none yet').waitFor(), call('refreshHistory', { error: 'There is none yet' })
  ])
  await textBox(frame).waitFor()
  t.strictSame(host.statuses(), [1], 'the document stays open')
  await type(' more')
  await sent()

  await call('refreshHistory', { currentVersion: 2, history: [entry(1), entry(2)] })
  t.strictSame(await event('onRequestUsers'), { c: 'info', id: [''] }, 'whoever is unknown has an empty id')
  t.equal(await event('onRequestHistoryData'), 2, 'a bare number: the present version is shown first')
  while (!host.statuses().includes(2)) await host.next()
  t.equal(await textBox(frame).count(), 0, 'not edited any more')

  await call('setHistoryData', { ...data(2), token: sign(data(2)) })
  await frame.locator('main').getByText('second').waitFor()
  for (const path of ['/v1.txt', '/v2.txt']) {
    t.strictSame(headerClaims(host.received.find(request => request.path === path)!).payload, {
      url: `${host.origin}${path}`
    }, 'fetched with a token')
  }
  t.notOk(await button('Restore').isVisible(), 'it is the present one')

  await frame.getByRole('list', { name: 'Versions' }).getByRole('button', { name: 'Version 1' }).click()
  t.equal(await event('onRequestHistoryData'), 1)
  await call('setHistoryData', { ...data(1), token: sign(data(2)) })
  await frame.locator('main').getByText('second').waitFor()
  t.equal(await frame.locator('[data-title]').innerText(), 'Version 2', 'the version of the token')
  await button('Version 1').click()
  await call('setHistoryData', { ...data(1), token: sign(data(1)) })
  await frame.locator('main').getByText('first').waitFor()
  await button('Restore').click()
  t.strictSame(await event('onRequestRestore'), { version: 1, fileType: 'txt' })

  const asked = async () => (await events()).filter(([name]) => name === 'onRequestHistoryData').length
  const before = await asked()
  await button('Version 2').click()
  await button('Version 1').click()
  t.equal(await asked(), before, 'known for five minutes')
  await stopTimers()
  await page.clock.fastForward('06:00')
  await page.clock.resume()
  await button('Version 1').click()
  await page.waitForFunction(before =>
    (globalThis as unknown as { events: string[][] }).events.filter(([name]) => name === 'onRequestHistoryData')
      .length > before, before)

  const { token, ...unsigned } = { ...data(1), token: undefined }
  for (const wrong of [unsigned, { ...unsigned, token: sign({ ...data(1), version: undefined }) }, {
    ...unsigned,
    token: sign({ payload: data(1) })
  }, { ...unsigned, token: sign({ ...data(1), changesUrl: `${host.origin}/c.zip` }) }]) {
    await call('setHistoryData', wrong)
    t.match(await event('onError'), { errorCode: -20 })
  }
  await call('setHistoryData', { version: 1, error: 'This version is gone' })
  await frame.getByText('This version is gone').waitFor()
  await button('Close history').click()
  t.equal(await event('onRequestHistoryClose'), undefined)
  t.strictSame(problems.filter(problem => !problem.includes('403')), [])
})

t.test('changesurl is a zip of changes0.json and so on, one for each entry of history.changes; each change below a version can be shown and restored as a result file', { skip: browser.missing }, async t => {
  const { host, open, server } = await startEditing(t, browser)
  const users = [{ id: 'ada', name: 'Ada' }, { id: 'grace', name: 'Grace' }]
  const sessions = await Promise.all(
    users.map(async user => await server.open({ ...host.config('K', { name: 'notes.txt', user }) }))
  )
  host.files.set('/v1.txt', await sessions[0]!.content())
  await sessions[0]!.edit('from Ada')
  await sessions[0]!.edit('from Ada, twice')
  await sessions[1]!.edit('from Grace')
  await sessions[0]!.close()
  const saved = new Promise<Record<string, unknown>>(resolve => {
    host.beforeAnswer = async body => {
      if (body.status === 2) resolve(body)
    }
  })
  await sessions[1]!.close()
  const { url, changesurl: changesUrl, token } = await saved
  const { serverVersion, changes } = claimsOf(token).history as {
    serverVersion: string,
    changes: Array<{ user: { id: string } }>
  }
  t.strictSame(changes.map(({ user }) => user.id), ['ada', 'grace'])
  const archive = openPackage(new Uint8Array(await (await fetch(String(changesUrl))).arrayBuffer()))
  t.strictSame([...archive.parts.keys()], ['changes0.json', 'changes1.json'])
  t.equal((JSON.parse(archive.text('changes0.json')!) as unknown[]).length, 2, 'the changes of one person in a row')

  const { button, choose, call, event, frame } = await open('K2', { file: 'notes.txt', handled: EVENTS })
  await choose('Version history')
  await event('onRequestHistory')
  const entry = { version: 2, key: 'K', created: '2026-11-02', user: users[1], changes }
  await call('refreshHistory', {
    currentVersion: 2,
    history: [{ version: 1, key: 'K1' }, { ...entry, serverVersion }]
  })
  const data = {
    version: 2,
    fileType: 'txt',
    key: 'K',
    url,
    previous: { fileType: 'txt', key: 'K1', url: `${host.origin}/v1.txt` },
    changesUrl
  }
  await event('onRequestHistoryData')
  await call('setHistoryData', { ...data, token: sign(data) })
  await frame.locator('main').getByText('from Grace').waitFor()
  await button('Change 1 of version 2').click()
  await frame.locator('main').getByText('from Ada, twice').waitFor()
  await button('Restore').click()
  const restored = await event('onRequestRestore') as { version: number, fileType: string, url: string }
  t.match(restored, { version: 2, fileType: 'txt', url: /^http.*\/cache\/files\// })
  t.equal(await (await fetch(restored.url)).text(), 'from Ada, twice')

  await call('refreshHistory', {
    currentVersion: 2,
    history: [{ version: 1, key: 'K1' }, { ...entry, serverVersion: '1.0.0' }]
  })
  t.equal(await event('onRequestHistoryData'), 2, 'the new list is shown')
  t.equal(await button('Change 1 of version 2').count(), 0, 'only of the document server\'s own build')
})
