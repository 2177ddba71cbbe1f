// What it costs to verify the token of a callback: our own code, and fast-jwt's verifier with the algorithm pinned.
// Prints microseconds per token, medians of interleaved rounds. `node bench/token-verification.js`, after
// `npm run build`.
import { createSigner, createVerifier } from 'fast-jwt'
import { tokenSigner } from '../dist/lib/document-server/token.js'

const ROUNDS = 7
const SECRETS = ['a-secret-of-at-least-32-characters-1', 'a-secret-of-at-least-32-characters-2']

/** @type {Array<[name: string, payloadBytes: number, secret: number, isForged: boolean]>} */
const TOKENS = [
  ['1 kB', 1_000, 0, false],
  ['4 kB', 4_000, 0, false],
  ['4 kB, the second of two secrets', 4_000, 1, false],
  ['4 kB, forged', 4_000, 0, true],
  ['1 MB, forged', 1_000_000, 0, true]
]

const ours = tokenSigner(SECRETS, Date)
const verifiers = SECRETS.map(key =>
  createVerifier({ key, algorithms: ['HS256'], cache: false, ignoreExpiration: true, ignoreNotBefore: true })
)

/** @type {Record<string, (token: string) => void>} */
const candidates = {
  ours: token => { ours.verify(token) },
  'fast-jwt': token => {
    for (const verify of verifiers) {
      try {
        verify(token)
        return
      } catch {}
    }
  }
}

for (const [name, bytes, secret, isForged] of TOKENS) {
  const sign = createSigner({ key: /** @type {string} */ (SECRETS[secret]), algorithm: 'HS256' })
  const valid = sign({ payload: { key: 'k', status: 2, history: 'x'.repeat(bytes) } })
  const token = isForged ? `${valid.slice(0, -4)}AAAA` : valid
  const times = Object.keys(candidates).map(candidate => ({ candidate, of: /** @type {number[]} */ ([]) }))
  const repeats = Math.max(20, Math.round(20_000_000 / (bytes + 1000)))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { candidate, of } of times) {
      const verify = /** @type {(token: string) => void} */ (candidates[candidate])
      const start = performance.now()
      for (let count = 0; count < repeats; count++) verify(token)
      if (round > 0) of.push((performance.now() - start) / repeats * 1000) // the first round warms up
    }
  }
  console.log(`${name}: ${times.map(({ candidate, of }) => `${candidate} ${of.toSorted((a, b) => a - b)[ROUNDS >> 1]?.toFixed(1)} us`).join(', ')}`)
}
