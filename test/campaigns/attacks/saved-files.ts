import type { Test } from 'tap'
import { answerWith, startUpstream } from '../../kit/http.js'
import type { Attack, TargetOptions } from './attack.js'
import { EVIL, namedBy, startTarget, type Target } from './target.js'

const HAS = 'a session at the document server that names another host: its callback is authentic'
const OTHER_ORIGIN = { 'documentServer.origins': 'only the document server\'s origins are allowed' }

type Names = (evil: URL, target: Target) => string

/** The server of the attacker is on loopback, where it plays one of the outside. */
const OUTSIDE = { allowPrivateAddresses: true }

function savingFrom (title: string, has: string, urlOf: Names): Attack {
  return {
    title,
    has,
    stoppedBy: OTHER_ORIGIN,
    async run (t, options) {
      const evil = await startUpstream(t, answerWith(EVIL))
      const target = await startTarget(t, { ...OUTSIDE, ...options })
      await target.saveFrom(urlOf(new URL(evil.origin), target))
      return await target.isReplaced()
    }
  }
}

/** The document server and the attacker's server have names. */
async function fromLookalike (t: Test, options: TargetOptions): Promise<boolean> {
  const evil = await startUpstream(t, answerWith(EVIL))
  const { port } = new URL(evil.origin)
  const names = await namedBy(t, { 'docs.test': () => ['127.0.0.1'], 'docs.test.evil.test': () => ['127.0.0.1'] })
  const target = await startTarget(t, { ...OUTSIDE, ...names, documentServerOrigin: `http://docs.test:${port}`, ...options })
  await target.saveFrom(`http://docs.test.evil.test:${port}/x`)
  return await target.isReplaced()
}

export const savedFiles: readonly Attack[] = [
  savingFrom('has a file from their own server saved into a document', HAS, evil => `${evil.origin}/x`),
  savingFrom(
    'has a file from their own server saved through a redirect of the document server',
    'an authentic callback; a way to make the document server redirect',
    (evil, target) => `${target.documentServer.origin}/redirect?${encodeURIComponent(`${evil.origin}/x`)}`
  ),
  savingFrom(
    'has a file saved from a URL whose user name resembles the document server',
    HAS,
    (evil, target) => `http://${new URL(target.documentServer.origin).host.replace(':', '%3A')}@${evil.host}/x`
  ),
  {
    title: 'has a file saved from a host whose name starts like the document server\'s',
    has: `${HAS}; a domain`,
    stoppedBy: OTHER_ORIGIN,
    run: fromLookalike
  },
  {
    title: 'has an internal page saved into a document, to read it there',
    has: HAS,
    stoppedBy: { ...OTHER_ORIGIN, allowPrivateAddresses: 'only public IP addresses are allowed' },
    async run (t, options) {
      const inside = await startUpstream(t, answerWith('inside'))
      const target = await startTarget(t, options)
      await target.saveFrom(`${inside.origin}/admin`, { filetype: 'txt' })
      return inside.connections() > 0 && await target.storedText(target.fileId) === 'inside'
    }
  },
  {
    title: 'has an internal page saved through a redirect',
    has: 'an authentic callback; a way to make the document server redirect',
    stoppedBy: { ...OTHER_ORIGIN, allowPrivateAddresses: 'every redirect is checked' },
    async run (t, options) {
      const inside = await startUpstream(t, answerWith('inside'))
      const target = await startTarget(t, options)
      await target.saveFrom(`${target.documentServer.origin}/redirect?${encodeURIComponent(inside.origin)}`, { filetype: 'txt' })
      return inside.connections() > 0 && await target.storedText(target.fileId) === 'inside'
    }
  }
]
