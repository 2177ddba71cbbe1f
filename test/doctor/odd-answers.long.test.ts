import http from 'node:http'
import t, { type Test } from 'tap'
import { documentWithText } from '../../lib/blank/blank-document.js'
import { isFromDocumentServer, startUpstream } from '../kit/http.js'
import { expectReport, startSetUp } from './support.js'

type Answers = Readonly<Record<string, string>>

/** What answers like a document server, but not like the emulated one: by path. */
async function startOdd (t: Test, answers: Answers, apiScript = 'window.DocsAPI = {}'): Promise<string> {
  const all: Answers = { '/healthcheck': 'true', '/web-apps/apps/api/documents/api.js': apiScript, ...answers }
  const { origin } = await startUpstream(t, (request, response) => {
    const body = all[request.url!.split('?')[0]!]
    // Without a token, a command is refused.
    let received = ''
    request.on('data', chunk => { received += String(chunk) }).on('end', () => {
      if (request.url!.includes('Command') && !received.includes('token')) response.end('{"error":6}')
      else response.writeHead(body === undefined ? 404 : 200, { date: 'never', 'content-type': 'text/plain' }).end(body)
    })
  })
  return origin
}

const COMMAND = '/coauthoring/CommandService.ashx'
const CONVERSION = '/ConvertService.ashx'
const WORKS = { [COMMAND]: '{"error":0,"version":"9.3.0"}' }

const odd: ReadonlyArray<readonly [title: string, answers: Answers, codes: readonly string[], evidence: string | RegExp]> = [
  ['a command is answered with error 7', { [COMMAND]: '{"error":7}' }, ['CLOCK_SKEW'], 'error 7'],
  ['a command is answered with an unknown error', { [COMMAND]: '{"error":3}' }, ['COMMANDS_FAILED'], 'error 3'],
  ['a conversion ends without a usable URL', { ...WORKS, [CONVERSION]: '{"endConvert":true,"fileUrl":"nonsense"}' }, [
    'CONVERSION_FAILED'
  ], 'URL of its result is invalid'],
  ...(['https://a.example, a.example', 'https://a.example,a.example'] as const).map(base => [
    `two proxies set X-Forwarded-Host: ${base}`,
    { ...WORKS, [CONVERSION]: JSON.stringify({ endConvert: true, fileUrl: `${base}/cache/files/x/output.txt/output.txt` }) },
    ['CONVERSION_FAILED'],
    'two proxies in front of the document server set X-Forwarded-Host'
  ] as const),
  ['there is no conversion service', WORKS, ['RESULT_FETCH'], 'status 404'],
  ['the token of a conversion is rejected, that of a command is not', { ...WORKS, [CONVERSION]: '{"error":-8}' }, ['CONVERSION_FAILED'], 'error -8']
]

for (const [title, answers, codes, evidence] of odd) {
  t.test(title, async t => {
    const { host } = await startSetUp(t, { documentServerOrigin: await startOdd(t, answers) })
    expectReport(t, await host.app.editorDoctor(), { codes, evidence: [evidence] })
  })
}

t.test('megabytes instead of api.js are not read to their end', async t => {
  const { host } = await startSetUp(t, { documentServerOrigin: await startOdd(t, { [COMMAND]: '{"error":6}' }, 'x'.repeat(3 * 1024 ** 2)) })
  expectReport(t, await host.app.editorDoctor(), { codes: ['API_MISSING', 'SECRET_INBOX'], evidence: ['nothing'] })
})

t.test('the document server gets another document in place of ours, and converts it', async t => {
  const { host } = await startSetUp(t, {
    publicProxy: {
      answer (request, response) {
        if (!isFromDocumentServer(request)) return false
        response.end(documentWithText('Please sign in to continue'))
        return true
      }
    }
  })
  expectReport(t, await host.app.editorDoctor(), { codes: ['DOWNLOAD_REPLACED'], evidence: ['"Please sign in to continue"'], remedy: /login page/ })
})

t.test('the connection breaks while the document server downloads: its request was seen', async t => {
  const { host } = await startSetUp(t, {
    publicProxy: {
      answer (request, response) {
        if (!isFromDocumentServer(request)) return false
        const upstream = http.get(
          new URL(request.url!, host.origin),
          { headers: request.headers },
          answer => answer.resume().on('end', () => response.destroy())
        )
        upstream.on('error', () => {})
        return true
      }
    }
  })
  expectReport(t, await host.app.editorDoctor(), { codes: ['DOWNLOAD_UNREACHABLE'], evidence: ['Its request arrived here, but it did not get the answer'] })
})

t.test('publicBaseUrl is redirected with 307: the document server follows, so it is a warning', async t => {
  let target = ''
  const { host } = await startSetUp(t, {
    publicProxy: {
      answer (request, response) {
        request.resume()
        response.writeHead(307, { location: target + request.url! }).end()
        return true
      }
    }
  })
  target = host.origin
  expectReport(t, await host.app.editorDoctor(), { codes: ['PUBLIC_URL_REDIRECT'], evidence: ['status 307', 'follows it'] })
})
