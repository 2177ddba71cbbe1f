import fc from 'fast-check'
import t from 'tap'
import { recording, recordingNames } from '../../emulator/test/recordings/recording.js'
import { isOnS3 } from '../kit/storage.js'
import { type Additions, type Outcome, replay } from './replay.js'

/** Opened and closed, commands and conversions: whatever is asked, nothing is stored and the key stays. */
function untouched (answers: string): Outcome {
  return { answers, stored: 'old', writes: 0, keys: 'A A' }
}

/** Stored once, and the next editor gets another key. */
function saved (stored: string, answers: string): Outcome {
  return { answers, stored, writes: 1, keys: 'A B' }
}

/**
 * What becomes of each recorded scenario. The recorder's host refused some callbacks or failed; here stands what this
 * handler answers instead, with the rule that it follows from.
 */
export const outcomes: Readonly<Record<string, Outcome>> = {
  'open-close-unchanged': untouched('1→0 GET→200 4→0'),
  'open-edit-close': saved('6503', '1→0 GET→200 2→0'),
  'two-users': saved('8219', '1→0 GET→200 1→0 1→0 2→0'),
  'drop-reconnect': saved('5973', '1→0 GET→200 1→0 2→0'),
  'drop-reload': untouched('1→0 GET→200 1→0'), // ends while it is edited
  'abrupt-drop': saved('4974', '1→0 GET→200 2→0'),
  'config-token': untouched('GET→200 1→0 4→0'),
  'download-url-non-ascii': untouched('1→0 GET→200 4→0'),
  'download-fails': { answers: '1→0 GET→404 GET→404 GET→404 4→0', stored: 'gone', writes: 0, keys: 'A none' },
  'download-403': untouched('1→0 GET→200 GET→200 GET→200 4→0'),
  'download-cut-then-whole': untouched('1→0 GET→200 4→0'),
  'view-mode': untouched('GET→200'),
  'view-then-edit': saved('3574', 'GET→200 1→0 2→0 4→0'),
  'same-user-twice': saved('8397', '1→0 GET→200 1→0 1→0 1→0 2→0'),
  'two-last-leaves-abruptly': saved('4185', '1→0 GET→200 1→0 1→0 2→0'),
  'reopen-at-once': saved('7648', '1→0 GET→200 2→0'),
  'status-1-refused': untouched('1→0 GET→200 4→0'), // a 1 is never refused
  'one-html': untouched('1→0 GET→200 4→0'),
  'empty-user-id': untouched('1→0 GET→200'), // the document server tells nobody of the edit

  // A force save changes the content and keeps the key, the finished save changes the key.
  'forcesave-button': saved('2497', '1→0 GET→200 6→0 2→0'), // nothing was modified since: stored once
  'forcesave-command': saved('7116', '1→0 GET→200 6→0 2→0'),
  'edit-after-forcesave': { answers: '1→0 GET→200 6→0 2→0', stored: '5631', writes: 2, keys: 'A B' },
  'forcesave-fails': saved('7164', '1→0 GET→200 7→0 7→0 2→0'),
  'forcesave-while-running': { answers: '1→0 GET→200 6→0 6→0 2→0', stored: '1052', writes: 2, keys: 'A B' },
  'forcesave-repeated-slow-host': saved('346', '1→0 GET→200 6→0 6→0 2→0'),
  'force-save-no-changes': saved('1366', '1→0 GET→200 6→0 2→0'),
  'cmd-forcesave-slow-host': { answers: '1→0 GET→200 6→0 2→0', stored: '691', writes: 2, keys: 'A B' },
  'cmd-forcesave': { answers: '1→0 GET→200 6→0 6→0 6→0 6→0 6→0 6→0 6→0 2→0', stored: '5467', writes: 8, keys: 'A B' },
  'six-s500': { answers: '1→0 GET→200 6→0 2→0', stored: '2163', writes: 2, keys: 'A B' },
  // ends while it is edited
  'large-userdata': { answers: '1→0 GET→200 6→0', stored: '6526', writes: 1, keys: 'A A' },

  // The recorder's host answered 500, 500 and 200; 307; 204; {"error":1}; 404. A repeat is answered 0 and writes
  // nothing.
  'save-retried-500-500-200': saved('7647', '1→0 GET→200 2→0 2→0 2→0'),
  'save-redirect-307': saved('9611', '1→0 GET→200 2→0 2→0'),
  'save-204': saved('9203', '1→0 GET→200 2→0'),
  'save-refused-error-1': { answers: '1→0 GET→200 2→0 1→0 2→0 1→0 GET→200 4→0', stored: '4468', writes: 2, keys: 'A B' },
  'forgotten-deleted': saved('5107', '1→0 GET→200 2→0 1→0 GET→200 4→0'),
  'save-accepted-reopen': saved('4379', '1→0 GET→200 2→0'),
  'two-error-string-0': saved('8343', '1→0 GET→200 2→0'),
  'two-html': saved('2046', '1→0 GET→200 2→0'),
  'two-empty': saved('8219', '1→0 GET→200 2→0'),
  'two-s404': saved('7058', '1→0 GET→200 2→0'),
  'twice-s503-then-200': saved('9229', '1→0 GET→200 2→0 2→0'),
  // the last one was that of the page it was sent on to
  'redirect-302-to-404': saved('3338', '1→0 GET→200 2→0 GET→200'),
  'cmd-forgotten': { answers: '1→0 GET→200 2→0 1→0 GET→200 2→0', stored: '2364', writes: 2, keys: 'A B' },
  'forgotten-edit-save': { answers: '1→0 GET→200 2→0 1→0 6→0 2→0', stored: '6668', writes: 3, keys: 'A B' },

  // 0 to a 3 has the document server delete the changes: the key is used up. 1 has it keep them under the key.
  'assembly-fails-answer-0': { answers: '1→0 GET→200 3→1 4→0 1→0 GET→200 4→0', stored: 'old', writes: 0, keys: 'A A A' },
  'assembly-fails-answer-1': { answers: '1→0 GET→200 3→1 1→0 1→0 2→0', stored: '2432', writes: 1, keys: 'A B' },
  'corrupted-accepted': { answers: '1→0 GET→200 3→1 4→0', stored: 'old', writes: 0, keys: 'A A' },
  'corrupted-refused': { answers: '1→0 GET→200 3→1 1→0 2→0', stored: '7603', writes: 1, keys: 'A B' },

  'cmd-info': saved('3444', `1→0 GET→200 ${'1→0 '.repeat(14)}4→0 4→0 4→0 1→0 2→0 4→0`),
  'cmd-license': untouched(''),
  'info-command': untouched('1→0 GET→200 1→0 1→0 4→0 4→0'),
  'drop-command': untouched('1→0 GET→200 4→0'),
  'meta-command': untouched('1→0 GET→200 4→0'),
  commands: untouched('1→0 GET→200 4→0'),
  'command-tokens': untouched(''),
  healthcheck: untouched(''),

  'convert-json': untouched('GET→200'),
  'convert-xml': untouched('GET→200 GET→200'),
  'convert-async': untouched('GET→200'),
  'convert-errors': untouched('GET→404 GET→404 GET→404 GET→200'),
  'convert-sticky-3': untouched('GET→200 GET→200'),
  'conv94-xlsx-to-tsv': untouched('GET→200'),
  'conv94-tsv-to-xlsx': untouched('GET→200 GET→200 GET→200 GET→200'),
  'conv94-pdf-to-ooxml': untouched('GET→200'),
  'conv-sources': untouched('GET→200 GET→200 GET→200 GET→200 GET→200 GET→200 GET→200 GET→200 GET→200'),

  // Around force saves, cut connections, viewers and keys that were used.
  'close-message-then-cut': saved('3742', '1→0 GET→200 2→0 4→0'),
  'co-edit-reconnect-save': saved('9247', '1→0 GET→200 1→0 1→0 2→0'),
  'conv-password': untouched('GET→200 GET→200 GET→200 GET→200'),
  'drop-during-save': saved('1047', '1→0 GET→200 2→0'),
  'drop-odd-users': untouched('1→0 GET→200 4→0'),
  'forcesave-after-close': saved('9585', '1→0 GET→200 2→0'),
  'forcesave-saved-then-close': saved('8982', '1→0 GET→200 6→0 2→0 1→0 4→0'),
  'forcesave-together': saved('3190', '1→0 GET→200 6→0 2→0'),
  'forgotten-of-key-in-use': { answers: '1→0 GET→200 2→0 1→0 2→0', stored: '6184', writes: 2, keys: 'A B' },
  'info-then-leave': untouched('1→0 GET→200 1→0 4→0 4→0'),
  'info-three-users': untouched('1→0 GET→200 1→0 1→0 1→0 1→0 4→0 4→0 4→0'),
  'no-callback-url': untouched('GET→200'),
  'open-password': untouched('1→0 GET→200 4→0'),
  'open-while-two-answered': saved('480', '1→0 GET→200 2→0'),
  'other-url-same-key': saved('1418', '1→0 GET→200 1→0 1→0 2→0'),
  'rejoin-within-5s': saved('1311', '1→0 GET→200 1→0 2→0'),
  'rename-two-users': saved('1970', '1→0 GET→200 1→0 1→0 2→0'),
  'six-slow-then-close': { answers: '1→0 GET→200 6→0 2→0', stored: '8568', writes: 2, keys: 'A B' },
  'stale-key-edit': saved('3182', '1→0 GET→200 2→0 4→0'),
  'stale-key-view': saved('629', '1→0 GET→200 2→0'),
  'two-refused-then-forcesave': { answers: '1→0 GET→200 2→0 1→0 6→0 2→0', stored: '3872', writes: 2, keys: 'A B' },
  'unchanged-cut-info': untouched('1→0 GET→200 4→0 4→0 4→0'),
  'version-and-license-odd': untouched(''),
  'viewers-only': untouched('GET→200 4→0 4→0'),
  'wrong-type': untouched('1→0 GET→200 4→0 4→0')
}

/** The same where the saved file can't be had, so that the save is refused as the recorder's host refused it. */
export const refusedOutcomes: Readonly<Record<string, { readonly unavailable: readonly string[] } & Outcome>> = {
  'save-refused-error-1': {
    unavailable: ['4085'], // what opening the key again brings back is at another address
    answers: '1→0 GET→200 2→1 1→0 2→0 1→0 GET→200 4→0',
    stored: '4468',
    writes: 1,
    keys: 'A B'
  },
  'save-204': { unavailable: ['9203'], ...untouched('1→0 GET→200 2→1') },
  'forgotten-deleted': { unavailable: ['5107'], ...untouched('1→0 GET→200 2→1 1→0 GET→200 4→0') }
}

t.setTimeout(300_000)

t.test('every recorded scenario has an expected outcome', async t => {
  t.strictSame(Object.keys(outcomes).sort(), recordingNames().sort())
})

/** What a later document server may add to each message. `SEED` chooses others. */
const name = fc.oneof(
  fc.constantFrom('operation', 'purpose', 'aud', 'iss', 'jti', 'data', 'toString'),
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'abcXYZ_-019') }).map(text => `x${text}`)
)
const value = fc.oneof(
  fc.constantFrom('callback', 'download', 'save-2027', ''),
  fc.jsonValue({ maxDepth: 2 }).filter(value =>
    !['converter', 'command', 'docbuilder', 'browser'].includes(value as string)
  )
)
const some = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 })
const additions: fc.Arbitrary<Additions> = fc.record({
  bodyClaims: some,
  besidePayload: some,
  inPayload: some,
  fields: some,
  headers: fc.dictionary(
    fc.constantFrom('x-docs-purpose', 'x-request-id', 'accept-language'),
    fc.constantFrom('1', 'callback', 'de')
  )
})
const seed = Number(process.env.SEED ?? 1)

for (const [recorded, expected] of Object.entries(outcomes)) {
  t.test(`recorded: ${recorded}: answers, stored file and key`, async t => {
    t.strictSame(await replay(t, recording(recorded)), expected)
  })

  if (isOnS3) continue // a storage knows nothing of claims
  t.test(`recorded: ${recorded}, with unknown claims, fields and headers in every message`, async t => {
    const added = fc.sample(additions, { seed, numRuns: 50 })
    t.strictSame(await replay(t, recording(recorded), { added }), expected, `SEED=${seed}`)
  })
}

for (const [name, { unavailable, ...expected }] of Object.entries(refusedOutcomes)) {
  t.test(`recorded: ${name}, refused as in the recording: answers, stored file and key`, async t => {
    t.strictSame(await replay(t, recording(name), { unavailable }), expected)
  })
}
