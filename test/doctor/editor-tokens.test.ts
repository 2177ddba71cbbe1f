import t from 'tap'
import { expectReport, findingOf, startSetUp } from './support.js'

t.test('an editor without a token is refused: that is said', async t => {
  const { host, documentServer } = await startSetUp(t)
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: [] })
  t.match(findingOf(report, 'TOKENS_IN'), { status: 'ok', evidence: /refuses an editor without a token, too/ })
  t.equal(documentServer.receivedRequests.filter(({ url }) => url.startsWith('/doc/')).length, 3)
})

t.test('without tokens of editors the verdict is not healthy, although commands need one', async t => {
  const { host } = await startSetUp(t, { emulated: { tokens: { browser: false } } })
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: ['TOKENS_BROWSER_OFF'] })
  t.equal(report.healthy, false)
})

t.test('without tokens of requests an unsigned download for a conversion does not mean that callbacks are unsigned', async t => {
  const { host } = await startSetUp(t, { emulated: { tokens: { inbox: false, browser: true }, version: '10.0.0' } })
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: ['TOKENS_INBOX_OFF'] })
  t.match(findingOf(report, 'TOKENS_OUT'), { status: 'skipped', evidence: /TOKENS_INBOX_OFF/ })
})

t.test('if nothing is sent with a token either, that is found once requests need one', async t => {
  const { host } = await startSetUp(t, { emulated: { tokens: { outbox: false } } })
  expectReport(t, await host.app.editorDoctor(), { codes: ['TOKENS_OUTBOX_OFF'] })
})

const answers: Readonly<Record<string, readonly string[]>> = {
  'no such path': [],
  'no handshake': ['<html>'],
  'a handshake without an id': ['0{}'],
  'an id that is no text': ['0{"sid":{}}'],
  'no answer to the connection': ['0{"sid":"a"}', 'what?'],
  'nothing but pings': ['0{"sid":"a"}', 'ok', '2', '6', '2', '2', '2', '2']
}

for (const [title, texts] of Object.entries(answers)) {
  t.test(`whether editors need a token cannot be seen (${title}): that is said, and nothing is wrong`, async t => {
    let asked = 0
    const { host } = await startSetUp(t, {
      serverProxy: {
        answer (request, response) {
          if (!request.url!.startsWith('/doc/')) return false
          const text = texts[asked++]
          response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text)
          return true
        }
      }
    })
    const report = await host.app.editorDoctor()
    expectReport(t, report, { codes: [] })
    t.match(findingOf(report, 'TOKENS_IN'), { status: 'ok', evidence: /could not be seen/ })
    t.ok(asked <= 5, `${asked} requests`)
  })
}
