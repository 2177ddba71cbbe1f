import { readFileSync } from 'node:fs'
import t from 'tap'
import { startBrowser } from '../../test/helpers/browser.js'
import { fixture, sign } from './support.js'
import { startEditing } from './protocol/editor/pages.js'
const browser = await startBrowser(t)
const AXE = readFileSync('/work/main/node_modules/axe-core/axe.min.js', 'utf8')
t.test('axe', async t => {
  const editing = await startEditing(t, browser)
  const { host, open } = editing
  for (const name of ['orders.xlsx', 'report.odt', 'deck.pptx', 'report.pdf', 'orders.ods', 'handbook.docx']) host.files.set(`/files/${name}`, fixture(name))
  host.files.set('/v1.txt', Buffer.from('a\nb\n')); host.files.set('/v2.txt', Buffer.from('a\nc\n'))
  const handled = ['onRequestHistory', 'onRequestHistoryData', 'onRequestRestore', 'onRequestHistoryClose', 'onRequestSaveAs', 'onRequestRename', 'onRequestInsertImage', 'onRequestSelectDocument', 'onRequestSelectSpreadsheet', 'onRequestUsers', 'onMakeActionLink', 'onRequestSharingSettings', 'onRequestCreateNew', 'onRequestEditRights', 'onRequestClose', 'onMetaChange', 'onRequestReferenceData']
  const change = (mode: string) => (config: any) => ({ ...config, document: { ...config.document, info: { favorite: true } }, editorConfig: { ...config.editorConfig, mode, customization: { close: { visible: true } } } })
  let n = 0
  for (const scheme of ['light', 'dark'] as const) {
    const check = async (page: any, label: string) => {
      const frame = page.page.frame('frameEditor')
      await frame.evaluate(AXE)
      const result = await frame.evaluate('axe.run(document, { resultTypes: ["violations"] })') as any
      for (const v of result.violations) console.log(scheme, label, v.id, v.nodes.length, v.nodes[0].target.join(' '), v.nodes[0].failureSummary.replace(/\s+/g, ' ').slice(0, 300), v.nodes[0].html.slice(0, 100))
      console.log(scheme, label, result.violations.length)
    }
    for (const [file, mode] of [['report.docx', 'edit'], ['report.docx', 'view'], ['notes.txt', 'edit'], ['orders.xlsx', 'edit'], ['orders.xlsx', 'view'], ['report.odt', 'edit'], ['deck.pptx', 'edit'], ['orders.ods', 'edit'], ['report.pdf', 'edit']] as const) {
      const key = `k${n++}`
      const page = await open(key, { scheme,  file, handled, change: change(mode) } as any)
      await page.event('onDocumentReady')
      await check(page, `${file} ${mode}`)
      if (file === 'report.docx' && mode === 'edit') {
        await open(key, { file, handled, change: c => ({ ...(change(mode)(c) as any), editorConfig: { ...c.editorConfig, user: { id: 'g', name: 'Grace' } } }) }).then(async other => { await other.frame.locator('[data-paragraph]').first().click(); await page.frame.locator('[data-by]').first().waitFor() })
        await page.type('x'); await check(page, 'editing')
        await page.button('Rename…').click(); await check(page, 'rename')
        await page.dialog().getByRole('button', { name: 'Cancel' }).click()
        await page.button('Mention').click(); await page.dialog().getByLabel('Comment').fill('@g'); await page.call('setUsers', { c: 'mention', users: [{ email: 'a@b', name: 'G' }] }); await check(page, 'mention')
        await page.dialog().getByRole('button', { name: 'Cancel' }).click()
        await page.sent()
        await page.button('Version history').click()
        await page.call('refreshHistory', { currentVersion: 2, history: [{ version: 1, key: 'a', created: 'x', user: { name: 'N' } }, { version: 2, key: 'b', created: 'x', user: { name: 'N' } }] })
        const data = { version: 2, fileType: 'txt', key: 'b', url: `${host.origin}/v2.txt`, previous: { fileType: 'txt', key: 'a', url: `${host.origin}/v1.txt` } }
        await page.call('setHistoryData', { ...data, token: sign(data) })
        await page.frame.locator('ins').waitFor()
        await check(page, 'history')
        await page.button('Version 1').click()
        await check(page, 'history 1')
        if (scheme === 'dark') { await page.page.screenshot({ path: '/tmp/h15/A/history.png' }) }
      }
      await page.page.close()
    }
    const refused = await open('bad key!', { handled, change: change('edit') }).catch(() => null)
    if (refused) await check(refused, 'refused')
  }
})
