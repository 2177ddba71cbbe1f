import type { Fields } from '../../editing.js'
import type { HostAnswer } from '../host.js'
import type { Trial } from '../trial.js'
import { must, should, type Scenario, Skip } from '../types.js'

const SIGNED = ['tokens-the-document-server-sends', 'a download of the document carries the header token only'] as const
const VERIFY = 'Verify the token in the header, with its exp, and compare the URL in its payload with the requested one.'

/** Whether the URL is a secret itself: without its query or the end of its path it gives nothing. */
async function isSecret ({ host, url }: Trial): Promise<boolean> {
  const { origin, pathname, search } = new URL(url)
  const cut = search === '' ? pathname.slice(0, -1) : pathname
  const isLong = search !== '' || /^[\w.-]{22}$/.test(pathname.slice(-22))
  return isLong && (await host.get(`${origin}${cut}`)).status >= 400
}

/** The host refuses such a download. */
function refusing (refused: (trial: Trial) => Promise<HostAnswer>): Scenario['run'] {
  return async trial => {
    const isOpen = (await trial.download(null)).status < 400
    if (isOpen && await isSecret(trial)) throw new Skip('the URL itself is a secret, and no token is needed')
    if (isOpen && refused !== unsigned) throw new Skip('anybody can download, even without a token')
    const { status } = await refused(trial)
    trial.expect(status >= 400, 'HTTP 401, 403 or 404', `HTTP ${status}`)
  }
}

const unsigned = async ({ download }: Trial) => await download(null)
const payload = (url: string): Fields => ({ payload: { url } })

/** The document at `document.url`. */
export const downloads: readonly Scenario[] = [
  must('download', 'the document server gets the stored bytes',
    ['downloading-the-document', 'HTTP 200 and 206 are accepted'],
    'Serve the stored bytes at document.url with HTTP 200, from the moment at which the configuration is made.',
    async ({ download, url, before, expect }) => {
      const { status, bytes } = await download(payload(url))
      expect(status === 200 || status === 206, 'HTTP 200', `HTTP ${status}`)
      expect(bytes.equals(before), `the ${before.length} stored bytes`, `${bytes.length} bytes`)
    }),
  should('download-type', 'the document is not a page',
    ['downloading-the-document', 'HTML with status 200 is taken as the document'],
    'Answer 403 instead of a login page, and send the document with the media type of its format: as text/html a browser would run it.',
    async ({ download, url, fileType, expect }) => {
      const type = (await download(payload(url))).headers.get('content-type') ?? ''
      expect(!/^text\/html/i.test(type) || /^x?html?$/.test(fileType), 'the media type of the format', type)
    }),
  must('download-unsigned', 'a download without a token is refused', SIGNED, VERIFY, refusing(unsigned)),
  must('download-wrong-secret', 'a download with a token of another secret is refused',
    SIGNED,
    VERIFY,
    refusing(async ({ download, url, strangers }) => await download(payload(url), strangers))),
  must('download-expired', 'a download with an expired token is refused',
    SIGNED,
    VERIFY,
    refusing(async ({ download, url, tokens }) => {
      tokens.skew(-3_600_000)
      try {
        return await download(payload(url))
      } finally {
        tokens.skew(0)
      }
    })),
  should('download-of-another-url', 'a token for another URL is refused',
    SIGNED,
    VERIFY,
    refusing(async ({ download }) => await download(payload('http://example.com/another')))),
  should('download-with-callback-token', 'the token of a callback is refused',
    SIGNED,
    VERIFY,
    refusing(async ({ download, presence }) => await download({ payload: presence(1) })))
]
