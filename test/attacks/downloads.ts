import { randomBytes } from 'node:crypto'
import { OLD } from '../helpers/editing.js'
import { SECRET } from '../helpers/host.js'
import { forgedToken } from '../helpers/jwt.js'
import type { StoppedByOptions } from './attack.js'
import { now, startTarget, type Target, tokenFor } from './target.js'

const UNSIGNED = { signedUrls: 'the URL is not signed', requireToken: 'no token of the document server' }
const WRONG = (requireToken: string) => ({ signedUrls: 'the signature covers what was changed', requireToken })
const NO_TOKEN = 'no token of the document server'

type Way = (target: Target) => Promise<readonly [url: string, headers?: Record<string, string>]>

function reading (title: string, has: string, stoppedBy: StoppedByOptions['stoppedBy'], way: Way): StoppedByOptions {
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

export const downloads: readonly StoppedByOptions[] = [
  reading('reads a document without any credential', 'the id of the document', UNSIGNED,
    async target => [plain(target)]),

  reading('reads a document by guessing the signature of its link', 'the id', { signedUrls: 'the signature is an HMAC of 256 bits', requireToken: NO_TOKEN },
    async target => [`${plain(target)}&expires=${now() + 3600}&signature=${randomBytes(32).toString('base64url')}`]),

  reading('reads a document by a link that has expired', 'a link of yesterday', { signedUrls: 'the link says until when it is good', requireToken: NO_TOKEN },
    async target => [target.urlsOf({ downloadUrlLifetime: -120_000 }).download(target.fileId)]),

  reading('prolongs a link that has expired', 'a link of yesterday', WRONG(NO_TOKEN), async target => {
    const link = new URL(target.urlsOf({ downloadUrlLifetime: -120_000 }).download(target.fileId))
    link.searchParams.set('expires', String(now() + 3600))
    return [link.href]
  }),

  reading('reads a document by the link of another', 'a link to a document of their own', WRONG(NO_TOKEN), async target => {
    const link = await linkOf(target, target.own)
    link.searchParams.set('fileId', target.fileId)
    return [link.href]
  }),

  reading('reads a document by the signature of its callback URL', 'a callback URL from a log of the network', WRONG(NO_TOKEN),
    async target => [target.urls.callback(target.fileId).replace('action=callback', 'action=download')]),

  reading('reads a document by the link of another service with the same secret', 'a link to a document with the same id there', { signedUrls: 'the signature covers the address of the service', requireToken: NO_TOKEN },
    async target => [target.urlsOf({ publicBaseUrl: 'https://other.example' }).download(target.fileId).replace('https://other.example', target.origin)]),

  reading('reads a document by the document server\'s token for another', 'a token seen on the way to their own document', { signedUrls: 'no signature', requireToken: 'the token is for another URL' },
    async target => [plain(target), tokenFor((await linkOf(target, target.own)).href)]),

  reading('reads a document by a token of the document server that has expired', 'an old recording of the network', { signedUrls: 'no signature', requireToken: 'the token has expired' },
    async target => [plain(target), { authorization: `Bearer ${forgedToken({ payload: { url: plain(target) }, iat: now() - 900, exp: now() - 600 }, { secret: SECRET })}` }]),

  reading('reads a document by the token in the page of another', 'a page with the editor and a document of their own', { signedUrls: 'no signature', requireToken: 'the token is for no URL' },
    async target => [plain(target), { authorization: `Bearer ${(await target.app.editorControl().openDocument(target.own)).config!.token}` }]),

  reading('reads a document by having the document server fetch it', 'a host that opens files from the web: the document server signs the address of any',
    { signedUrls: 'the token stands for no signature' },
    async target => [plain(target), tokenFor(plain(target))]),

  reading('reads a document by a token that the service has made for the document server', 'the line between the two, where a conversion was asked for',
    { signedUrls: 'no signature', requireToken: 'a token that does not expire is none of the document server\'s' },
    async target => [plain(target), { authorization: `Bearer ${forgedToken({ payload: { url: plain(target) } }, { secret: SECRET })}` }]),

  {
    title: 'finds out which documents exist',
    has: 'a list of ids to try',
    stoppedBy: { signedUrls: 'the signature is looked at first', requireToken: 'the token is looked at first' },
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
