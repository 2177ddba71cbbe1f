import type http from 'node:http'
import t from 'tap'
import { renderHtml } from '../../lib/doctor/render.js'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'
import { SECRET } from '../kit/document-server.js'

/** What a probe's request must not leave in a report, however it comes back. */
const CONFIDENTIAL = [
  /signature(?:=|%(?:25)*3D)/,
  /fileId(?:=|%(?:25)*3D)/,
  /(?<![\w-])[\w-]{43}(?![\w-])/,
  /pass%20word/,
  new RegExp(Buffer.from('docs:pass%20word').toString('base64')),
  new RegExp(SECRET)
]
const CONTROLS = /[\p{Cc}\p{Cf}]/u

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => unknown

const answers: Readonly<Record<string, readonly [answer: Answer, evidence: RegExp]>> = {
  'a redirect with our whole URL in its path': [
    ({ url = '' }, response) => response.writeHead(302, { location: `/next/${encodeURIComponent(url)}` }),
    /a redirect to \/next\/%2FControls/
  ],
  'our signature': [
    ({ url = '' }, response) => response.write(`It is ${new URL(url, 'http://x').searchParams.get('signature')}.`),
    /"It is \[signature\]\."/
  ],
  'our credentials': [
    ({ headers }, response) => response.write(`You are ${headers.authorization}, pass%20word.`),
    /"You are Basic \[secret\], \[secret\]\."/
  ],
  'a redirect with control characters and markup, and without an end': [
    (_request, response) => response.writeHead(302, { location: `http://other.test/\u009b31m<b>${'x'.repeat(5000)}` }),
    /a redirect to http:\/\/other\.test\/%C2%9B31m%3Cb%3Ex+…/
  ]
}

for (const [title, [answer, expected]] of Object.entries(answers)) {
  t.test(`publicBaseUrl answers with ${title}: nothing confidential is in the report, and nothing that controls a terminal`, async t => {
    const { origin } = await startUpstream(t, (request, response) => {
      request.resume()
      answer(request, response)
      response.end()
    })
    const host = await startHost(t, { publicBaseUrl: origin.replace('//', '//docs:pass%20word@') })
    const report = await host.app.editorDoctor()
    t.match(report.findings.filter(({ code }) => code.startsWith('PUBLIC_URL_')).map(({ evidence }) => evidence), [expected])
    for (const text of [JSON.stringify(report), renderHtml(report)]) {
      for (const pattern of CONFIDENTIAL) t.notMatch(text, pattern)
      t.ok(text.length < 15_000, 'and it is short')
    }
    for (const { evidence, remedy = '' } of report.findings) t.notMatch(evidence + remedy, CONTROLS)
  })
}

t.test('the error of a conversion may be any text: it is shortened, and controls nothing', async t => {
  const { origin } = await startUpstream(t, (request, response) => {
    let received = ''
    request.on('data', chunk => { received += String(chunk) }).on('end', () => {
      if (request.url === '/healthcheck') return response.end('true')
      if (request.url!.endsWith('api.js')) return response.end('window.DocsAPI = {}')
      if (request.url!.startsWith('/coauthoring')) return response.end(received.includes('token') ? '{"error":0}' : '{"error":6}')
      response.end(JSON.stringify({ error: `\u001b[31m\u009b2J\u202e${'E'.repeat(10_000)}` }))
    })
  })
  const host = await startHost(t, { documentServerOrigin: origin })
  const { findings } = await host.app.editorDoctor()
  const { evidence = '' } = findings.find(({ code }) => code === 'CONVERSION_FAILED') ?? {}
  t.match(evidence, /^A small document was not converted/)
  t.notMatch(evidence, CONTROLS)
  t.ok(evidence.length < 1000)
})
