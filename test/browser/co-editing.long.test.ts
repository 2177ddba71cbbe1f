import { strFromU8, unzipSync } from 'fflate'
import t from 'tap'
import { append, close, type Pages, paragraph, startBrowser, startPages, statuses } from '../kit/browser.js'

const browser = await startBrowser(t)

t.test(
  'two pages edit one document; a page that opens it after a force save joins the same session; one save follows when the last page closes',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const fileId = await service.store('report.docx')

    const ada = await service.open(fileId)
    await append(ada, 'Currency is EUR.', ' Ada, before the save.')
    await ada.editor.click('[data-action="save"]')
    await ada.editor.waitForSelector('[data-state="stored"]')
    t.match(await storedText(service, fileId), 'Ada, before the save.', 'a force save stores what was typed')

    const grace = await service.open(fileId, { user: 'Grace Hopper' })
    await paragraph(grace, 'Ada, before the save.').waitFor()
    await append(grace, 'Table 1 is rounded.', ' Grace, after the save.')
    await paragraph(ada, 'Grace, after the save.').waitFor()
    await append(ada, 'Ada, before the save.', ' And after it.')
    await paragraph(grace, 'And after it.').waitFor()

    await close(ada)
    t.strictSame(statuses(service), [1, 6, 1, 1], 'nothing is saved while somebody is there')
    t.notMatch(await storedText(service, fileId), 'Grace')
    await close(grace)
    t.strictSame(statuses(service), [1, 6, 1, 1, 2], 'one save, when the last has left')
    const callbacks = service.documentServer.sentRequests.flatMap(({ body }) => body === null ? [] : [body])
    t.equal(new Set(callbacks.map(({ key }) => key)).size, 1, 'all in one session')
    t.strictSame(callbacks.map(({ users }) => users), [['ada'], ['ada'], ['ada', 'grace'], ['grace'], ['ada']])
    const text = await storedText(service, fileId)
    for (const part of ['Currency is EUR. Ada, before the save. And after it.', 'Table 1 is rounded. Grace, after the save.']) t.match(text, part)
    t.strictSame([...ada.problems, ...grace.problems], [])
  })

async function storedText (service: Pages, fileId: string): Promise<string> {
  const file = await service.storage.read(fileId)
  const chunks: Uint8Array[] = []
  for await (const chunk of file!.body) chunks.push(chunk)
  return strFromU8(unzipSync(Buffer.concat(chunks))['word/document.xml']!).replace(/<[^>]+>/g, '')
}
