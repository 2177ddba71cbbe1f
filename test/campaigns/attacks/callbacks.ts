import { forgedToken, SECRET } from '../../kit/document-server.js'
import { signed } from '../../kit/host.js'
import type { Attack } from './attack.js'
import { JSON_TYPE, now, startTarget, type Target } from './target.js'

const FOREIGN_KEY = 'key-of-a-session-of-the-attacker'
const FOREIGN_SECRET = 'the-secret-of-another-document-server-1'

const save = ({ key, evilUrl }: Target) => ({ key, status: 2, url: evilUrl, filetype: 'docx' })
const dated = (target: Target, from: number, to: number) => ({ ...save(target), iat: now() + from, exp: now() + to })
const PAGE = 'the document\'s callback URL, from a page with the editor'

/** Replaces the victim's document by what is in a file of the attacker at the document server. */
function replacing (title: string, has: string, stoppedBy: Attack['stoppedBy'], attempt: (target: Target) => Promise<unknown>): Attack {
  return {
    title,
    has,
    stoppedBy,
    async run (t, options) {
      const target = await startTarget(t, options)
      await attempt(target)
      return await target.isReplaced()
    }
  }
}

const withToken = (token: (target: Target) => string) => (target: Target) => target.postCallback(target.fileId, { ...save(target), token: token(target) })

const replacements: readonly Attack[] = [
  replacing(
    'replaces a document without any credential',
    'the fileId of the document',
    { signedUrls: 'the callback URL is not signed', requireToken: 'no token from the document server' },
    target =>
      fetch(target.handler({ action: 'callback', fileId: target.fileId }), {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify(save(target))
      })
  ),

  replacing('replaces a document by its callback URL alone', PAGE, { requireToken: 'no token from the document server' },
    target => target.postCallback(target.fileId, save(target))),

  replacing('replaces a document with a token without a signature (alg none)', PAGE, { requireToken: 'HS256 only' },
    withToken(target => forgedToken(dated(target, 0, 300), { alg: 'none' }))),

  replacing(
    'replaces a document with a token signed with another algorithm (HS512)',
    `${PAGE}; a program that signs HS512 with the same secret`,
    { requireToken: 'HS256 only' },
    withToken(target => forgedToken(dated(target, 0, 300), { alg: 'HS512', secret: SECRET }))
  ),

  replacing('replaces a document with a token signed with another secret', `${PAGE}; a document server of their own`, {
    requireToken: 'the signature is wrong'
  }, withToken(target => forgedToken(dated(target, 0, 300), { secret: FOREIGN_SECRET }))),

  replacing('replaces a document with an expired token', `${PAGE}; an old recording of the network traffic`, { requireToken: 'the token has expired' },
    withToken(target => forgedToken(dated(target, -900, -600), { secret: SECRET }))),

  replacing(
    'replaces a document with a token issued in the future',
    `${PAGE}; a document server whose clock they control`,
    { requireToken: 'the token was issued in the future' },
    withToken(target => forgedToken(dated(target, 86_400, 86_700), { secret: SECRET }))
  ),

  replacing('replaces a document with the token in its page', `${PAGE}; the token in that page`, {
    requireToken: 'the token has no document key at a callback\'s place'
  }, async target => {
    const { config } = await target.app.editorControl().openDocument(target.fileId)
    await target.postCallback(target.fileId, { ...save(target), token: config!.token })
  }),

  replacing(
    'replaces a document with an authentic save of another document',
    `${PAGE}; a save of a document of their own`,
    { requireToken: 'the document key in the token belongs to another file' },
    target => target.postSignedCallback(target.fileId, { ...save(target), key: target.keyOf(target.own) })
  ),

  replacing(
    'replaces a document with unsigned fields beside an authentic token',
    `${PAGE}; an intercepted authentic save of it`,
    { requireToken: 'only signed fields count' },
    async target => {
      const genuine = { ...save(target), url: target.url }
      await target.postCallback(target.fileId, { ...save(target), token: signed(genuine) }, {
        ...JSON_TYPE,
        authorization: `Bearer ${signed({ payload: genuine })}`
      })
    }
  ),

  replacing(
    'replaces a document with two authentic tokens that contradict each other',
    `${PAGE}; a token for it and one from a save of their own document`,
    { requireToken: 'both tokens must belong to the file and agree' },
    async target => {
      const key = target.keyOf(target.own)
      const theirs = { ...save(target), key, url: target.evilUrl.replace(target.key, key) }
      const genuine = { key: target.key, status: 2, url: target.url, filetype: 'docx' }
      await target.postCallback(target.fileId, { ...theirs, token: signed(theirs) }, {
        ...JSON_TYPE,
        authorization: `Bearer ${signed({ payload: genuine })}`
      })
    }
  )
]

/** The next editor of the document is led into a session with other content. */
const ownSession: Attack = {
  title: 'sends the next editor of a document into another session with other content',
  has: PAGE,
  stoppedBy: { requireToken: 'no token from the document server' },
  async run (t, options) {
    const target = await startTarget(t, options)
    await target.postCallback(target.fileId, { key: FOREIGN_KEY, status: 1, users: ['victim'] })
    return await target.openedKey() === FOREIGN_KEY
  }
}

export const callbacks: readonly Attack[] = [...replacements, ownSession]
