import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startBrowser, widthOf } from '../kit/browser.js'
import { missingOffice, startDemo, temporaryDirectory } from '../kit/programs.js'

const browser = await startBrowser(t)

t.test(
  'demo: large previews show first pages, made once for each content and kept over a restart, and icons where there is none',
  { skip: browser.missing || await missingOffice() },
  async t => {
    const directory = await temporaryDirectory(t)
    await writeFile(join(directory, 'documents.json'), '[]')
    const env = { THUMBNAILS: 'on' }
    const demo = await startDemo(t, { directory, env })
    const { page, problems } = await browser.newPage(t)
    await page.goto(demo.url)
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    await page.getByLabel('Upload', { exact: true }).setInputFiles([
      { name: 'Note.txt', mimeType: '', buffer: Buffer.from('The first page\n') },
      { name: 'Form.xml', mimeType: '', buffer: Buffer.from('<broken') }
    ])
    await page.getByRole('button', { name: 'Large previews' }).click()
    const image = page.getByRole('row').filter({ hasText: 'Note.txt' }).locator('.preview img')
    await image.waitFor()
    t.ok(await image.evaluate(widthOf) > 100)
    const url = `${demo.url}${await image.getAttribute('src')}`
    const answer = await fetch(url)
    t.match(answer.headers.get('cache-control'), /immutable/)
    t.match(Buffer.from(await answer.arrayBuffer()).subarray(1, 4).toString(), 'PNG')
    const id = await demo.idOf('Form.xml')
    let status = 202
    while (status === 202) ({ status } = await fetch(`${demo.url}/documents/${id}/thumbnail`)) // each round is a request
    t.ok([200, 204].includes(status), 'there is an image, or it is known that there is none')
    t.strictSame(problems, [])
    const kept = (await readdir(join(directory, 'thumbnails'))).filter(name => name.endsWith('.png'))
    t.equal((await demo.stop()).log, '')

    const again = await startDemo(t, { directory, env })
    t.equal((await fetch(`${again.url}/documents/${await again.idOf('Note.txt')}/thumbnail`)).status, 200, 'at once')
    t.strictSame((await readdir(join(directory, 'thumbnails'))).filter(name => name.endsWith('.png')), kept)
  })
