import { randomBytes } from 'node:crypto'
import { forgedToken, SECRET } from '../../kit/document-server.js'
import { OLD } from '../../kit/editing.js'
import type { Attack } from './attack.js'
import { now, startTarget, type Target, tokenFor } from './target.js'

const UNSIGNED = { signedUrls: 'the URL is not signed', requireToken: 'no token from the document server' }
const WRONG = (requireToken: string) => ({ signedUrls: 'the signature covers the changed part', requireToken })
const NO_TOKEN = 'no token from the document server'

type Way = (target: Target) => Promise<readonly [url: string, headers?: Record<string, string>]>

function reading (title: string, has: string, stoppedBy: Attack['stoppedBy'], way: Way): Attack {
  return {
    title,
    has,
    stoppedBy,
    async run (t, options) {
      const target = await startTarget(t, options)
      const [url, headers = {}] = await way(target)
      const response = await fetch(url, { headers })
      return await response.text() === OLD
    }
  }
}

const plain = ({ handler, fileId }: Target) => handler({ action: 'download', fileId })
const linkOf = async ({ app }: Target, fileId: string) => new URL((await app.editorControl().openDocument(fileId)).documentUrl)

export const downloads: readonly Attack[] = [
  reading('reads a document without any credential', 'the fileId of the document', UNSIGNED,
    async target => [plain(target)]),

  reading('reads a document by guessing the signature of its link', 'the fileId', { signedUrls: 'the signature is a 256-bit HMAC', requireToken: NO_TOKEN },
    async target => [`${plain(target)}&expires=${now() + 3600}&signature=${randomBytes(32).toString('base64url')}`]),

  reading('reads a document with an expired link', 'a link from yesterday', { signedUrls: 'the link contains its expiry', requireToken: NO_TOKEN },
    async target => [target.urlsOf({ downloadUrlLifetime: -120_000 }).download(target.fileId)]),

  reading('extends the expiry of a link', 'a link from yesterday', WRONG(NO_TOKEN), async target => {
    const link = new URL(target.urlsOf({ downloadUrlLifetime: -120_000 }).download(target.fileId))
    link.searchParams.set('expires', String(now() + 3600))
    return [link.href]
  }),

  reading('reads a document with the link of another document', 'a link to a document of their own', WRONG(NO_TOKEN), async target => {
    const link = await linkOf(target, target.own)
    link.searchParams.set('fileId', target.fileId)
    return [link.href]
  }),

  reading('reads a document with the signature of its callback URL', 'a callback URL from a network log', WRONG(NO_TOKEN),
    async target => [target.urls.callback(target.fileId).replace('action=callback', 'action=download')]),

  reading(
    'reads a document with the link of another service with the same secret',
    'a link to a document with the same id there',
    { signedUrls: 'the signature covers the URL of the service', requireToken: NO_TOKEN },
    async target => [
      target.urlsOf({ publicBaseUrl: () => 'https://other.example' }).download(target.fileId).replace(
        'https://other.example',
        target.origin
      )
    ]
  ),

  reading(
    'reads a document with the document server\'s token for another document',
    'an intercepted token for their own document',
    { signedUrls: 'no signature', requireToken: 'the token is for another URL' },
    async target => [plain(target), tokenFor((await linkOf(target, target.own)).href)]
  ),

  reading('reads a document with an expired token of the document server', 'an old recording of the network traffic', { signedUrls: 'no signature', requireToken: 'the token has expired' },
    async target => [plain(target), { authorization: `Bearer ${forgedToken({ payload: { url: plain(target) }, iat: now() - 900, exp: now() - 600 }, { secret: SECRET })}` }]),

  reading(
    'reads a document with the token in another document\'s page',
    'a page with the editor and a document of their own',
    { signedUrls: 'no signature', requireToken: 'the token is for no URL' },
    async target => [plain(target), {
      authorization: `Bearer ${(await target.app.editorControl().openDocument(target.own)).config!.token}`
    }]
  ),

  reading('reads a document by having the document server fetch it', 'an application that opens files from the web: the document server signs any URL',
    { signedUrls: 'a token does not replace the signature' },
    async target => [plain(target), tokenFor(plain(target))]),

  reading('reads a document with a token that the service signed for the document server', 'access to the traffic between the two during a conversion',
    { signedUrls: 'no signature', requireToken: 'a token without an expiry is not the document server\'s' },
    async target => [plain(target), { authorization: `Bearer ${forgedToken({ payload: { url: plain(target) } }, { secret: SECRET })}` }]),

  {
    title: 'finds out which documents exist',
    has: 'a list of fileIds to try',
    stoppedBy: { signedUrls: 'the signature is checked first', requireToken: 'the token is checked first' },
    async run (t, options) {
      const target = await startTarget(t, options)
      const answerFor = async (fileId: string) => {
        const response = await fetch(target.handler({ action: 'download', fileId }))
        return `${response.status} ${response.ok ? '' : await response.text()}`
      }
      return await answerFor(target.fileId) !== await answerFor('no-such-document')
    }
  }
]
