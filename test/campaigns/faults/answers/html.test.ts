import t from 'tap'
import { expectRight, startSaved } from '../saved-file.js'

for (const { fault, status } of [
  { fault: { type: 'html' }, status: 200 },
  { fault: { type: 'html', status: 502 }, status: 502 }
] as const) {
  t.test(`html: a complete error page with status ${status} is sent instead of the document`, async t => {
    const { server, url } = await startSaved(t)
    server.fault('file', fault)
    const response = await fetch(url)
    t.equal(response.status, status)
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    t.equal(response.headers.get('content-disposition'), null)
    const page = await response.text()
    t.match(page, /^<!DOCTYPE html>.*<\/html>$/s)
    t.equal(response.headers.get('content-length'), String(page.length))
    await expectRight(t, url)
  })
}
