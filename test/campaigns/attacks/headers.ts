import type { Test } from 'tap'
import { HANDLER } from '../../kit/host.js'
import { exchangeGet, startUpstream } from '../../kit/http.js'
import type { AlwaysStopped } from './attack.js'
import { letsIn } from './scripts.js'
import { startTarget } from './target.js'

const HAS = 'a server that the proxy fetches from; a victim who opens a link and whom authorize grants it without a token'

type Exchange = (t: Test, origin: string) => Promise<string>

/** The answer of a server with these header lines, as it arrives through the proxy or directly. */
function smuggling (title: string, because: string, lines: readonly string[], wanted: RegExp): AlwaysStopped {
  const answer = ['HTTP/1.1 200 OK', ...lines, 'Content-Length: 2', 'Connection: close', '', 'ok'].join('\r\n')
  const throughProxy = (upstream: string): Exchange => (t, origin) =>
    exchangeGet(t, origin, `${HANDLER}?${new URLSearchParams({ action: 'proxy', url: `${upstream}/cache/files/x` })}`)
  const arrives = (answer: string) => wanted.test(answer.slice(0, answer.indexOf('\r\n\r\n')))
  return {
    title,
    has: HAS,
    because,
    async run (t, options) {
      const evil = await startUpstream(t, Buffer.from(answer, 'latin1'))
      const { origin } = await startTarget(t, { ...options, ...letsIn, documentServerOrigin: evil.origin })
      const received = await throughProxy(evil.origin)(t, origin)
      if (!/^HTTP\/1\.1 (?:200|502) /.test(received)) throw new Error(`not through the proxy: ${received}`)
      return arrives(received)
    },
    async control (t) {
      const evil = await startUpstream(t, Buffer.from(answer, 'latin1'))
      return arrives(await exchangeGet(t, evil.origin, '/'))
    }
  }
}

const ONLY = 'only type, length and disposition of a proxied answer are forwarded'

export const headers: readonly AlwaysStopped[] = [
  smuggling('sets a cookie of the service\'s origin (session fixation)', ONLY, [
    'Set-Cookie: session=of-the-attacker; Path=/'
  ], /^set-cookie:/im),
  smuggling('allows pages of other origins to read through the proxy (CORS)', ONLY, [
    'Access-Control-Allow-Origin: https://foreign.example',
    'Access-Control-Allow-Credentials: true'
  ], /^access-control-/im),
  smuggling('changes how browsers treat the service: HSTS, Clear-Site-Data, Refresh', ONLY, [
    'Strict-Transport-Security: max-age=31536000',
    'Clear-Site-Data: "*"',
    'Refresh: 0; url=https://foreign.example'
  ], /^(?:strict-transport-security|clear-site-data|refresh):/im),
  smuggling('weakens the sandbox with a policy of their own', ONLY, [
    'Content-Security-Policy: sandbox allow-scripts allow-same-origin'
  ], /allow-scripts/i),
  smuggling(
    'ends a header early and starts one of their own (response splitting)',
    'an answer with such a header is refused',
    ['Content-Disposition: attachment; filename="a\rSet-Cookie: session=of-the-attacker"'],
    /^set-cookie:/im
  ),
  smuggling(
    'hides a header in the folded line of another',
    'an answer with such a header is refused or its header dropped',
    ['Content-Disposition: attachment;', '\tfilename="a"', ' \nSet-Cookie: session=of-the-attacker'],
    /^set-cookie:/im
  )
]
