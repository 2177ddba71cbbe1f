import http from 'node:http'
import t from 'tap'
import { startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'
import { listen } from '../kit/http.js'

const browser = await startBrowser(t)
const DOCTOR = '/Controls/Editor/EditorHandler.ashx/doctor'

t.test('demo: the list leads to the doctor\'s page, which examines the demo and explains a document', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const id = await demo.idOf('Shopping list.md')
  t.ok((await fetch(`${demo.url}/edit/${id}`)).ok)

  const { page, problems } = await browser.newPage(t)
  await page.goto(demo.url)
  await page.getByRole('button', { name: 'Mira Sandoval' }).click()
  await page.getByRole('link', { name: 'Ask the doctor' }).click()
  await page.getByRole('heading', { name: 'Editor doctor' }).waitFor()
  t.match(await page.title(), /^Healthy/, await page.locator('main').innerText())
  t.match(await page.locator('header').textContent(), /Healthy: \d+ ok/)
  t.equal(
    await page.evaluate('getComputedStyle(document.querySelector("header .status")).color'),
    'rgb(28, 111, 67)',
    'its style applies'
  )

  await page.getByLabel('Which document does not open or is not saved?').fill(id)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('heading', { name: `Document ${id}` }).waitFor()
  t.match(await page.locator('main').innerText(), 'OPENING_PAGE')
  t.equal(await page.getByLabel('Which document').inputValue(), id)
  await page.getByRole('link', { name: 'Examine again' }).click()
  await page.getByRole('heading', { name: `Document ${id}` }).waitFor()
  t.strictSame(problems, [])

  const violation = page.waitForEvent('console', message => /content security policy/i.test(message.text()))
  await page.evaluate('document.body.append(Object.assign(document.createElement("script"), { textContent: "document.title = \'ran\'" }))')
  await violation
  t.not(await page.title(), 'ran', 'no script runs')
  t.match(problems.join('\n'), /content security policy/i, 'and a violation is seen by this test')
})

t.test('demo: a link, a frame or an image on another site gets no report', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const url = demo.url + DOCTOR
  const { origin } = await listen(
    t,
    http.createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(
        `<!DOCTYPE html><link rel="icon" href="data:,"><a href="${url}">link</a><iframe src="${url}"></iframe><img src="${url}">`
      )
    })
  )
  for (const site of [origin, origin.replace('127.0.0.1', 'localhost')]) {
    const { page } = await browser.newPage(t)
    const statuses: number[] = []
    page.on('response', response => { if (response.url() === url) statuses.push(response.status()) })
    await page.goto(site)
    await page.getByRole('link', { name: 'link' }).click()
    await page.waitForURL(url)
    t.strictSame(new Set(statuses), new Set([403]), site)
    t.match(await page.locator('body').innerText(), '"message":"Forbidden"')
  }
})
