import t from 'tap'
import { differences } from './compare.js'
import { type Entry, type Log, recordedLog } from './log.js'
import { mutations } from './mutations.js'
import { play } from './player.js'
import { type Json, type JsonObject, recording } from './recording.js'

// Proves that the comparison can fail: recordings that were changed in one thing must not be found played.

const SCENARIOS = [
  'open-edit-close', 'two-users', 'save-retried-500-500-200', 'save-refused-error-1', 'large-userdata', 'config-token', 'drop-reload',
  'convert-xml', 'convert-json', 'commands'
]

// Of a file only that it is one is compared.
const MAY_DIFFER = /body: sha256 › another text$/

for (const name of SCENARIOS) {
  t.test(name, async t => {
    const recorded = recording(name)
    const played = await play(t, recorded)
    t.strictSame(differences(recordedLog(recorded), played), [])

    t.test('every value, field and order of requests and answers is compared', async t => {
      let count = 0
      for (const { name, place, recording } of mutations(recorded)) {
        const found = differences(recordedLog(recording), played)
        if (found.some(difference => difference.includes(place)) === MAY_DIFFER.test(name)) t.fail(name, { found })
        count++
      }
      t.ok(count > 40, `${count} changes`)
    })

    t.test('the kind, time and order of exchanges are compared', async t => {
      const log = recordedLog(recorded)
      for (const [name, changed] of sequences(log)) {
        if (differences(changed, played).length === 0) t.fail(name)
      }
    })
  })
}

/** The log with one entry that is missing, repeated, elsewhere, or at another time. */
function * sequences (log: Log): Generator<readonly [name: string, log: Log]> {
  for (const [name, changed] of ofEntries('exchange', log.exchanges)) yield [name, { ...log, exchanges: changed }]
  for (const [name, changed] of ofEntries('lookup', log.forgotten)) yield [name, { ...log, forgotten: changed }]
  for (const user of Object.keys(log.events)) {
    const events = log.events[user]!
    for (const [name, changed] of ofEntries(user, events)) yield [name, { ...log, events: { ...log.events, [user]: changed } }]
    for (const [index, event] of events.entries()) {
      for (const [field, value] of Object.entries(event.value as JsonObject)) {
        const changed = events.with(index, { ...event, value: { ...event.value as JsonObject, [field]: another(value) } })
        yield [`${user} ${event.name}: ${field}`, { ...log, events: { ...log.events, [user]: changed } }]
      }
    }
  }
}

function * ofEntries (kind: string, entries: readonly Entry[]): Generator<readonly [name: string, entries: Entry[]]> {
  for (const [index, entry] of entries.entries()) {
    const name = `${kind} ${index + 1}, ${entry.name}`
    const next = entries[index + 1]
    yield [`${name}: missing`, entries.toSpliced(index, 1)]
    yield [`${name}: twice`, entries.toSpliced(index, 0, entry)]
    yield [`${name}: a second later`, entries.with(index, { ...entry, at: entry.at + 1000 })]
    yield [`${name}: a second earlier`, entries.with(index, { ...entry, at: entry.at - 1000 })]
    if (next === undefined || withoutTimes(next) === withoutTimes(entry)) continue
    yield [`${name}: after the next`, entries.toSpliced(index, 2, { ...next, at: entry.at }, { ...entry, at: next.at })]
  }
}

/** A save that is tried again differs in what its time gives. */
function withoutTimes ({ value }: Entry): string {
  return JSON.stringify(value).replaceAll(/md5=[^&]*&expires=\d*|"(iat|exp)":\d*/g, '')
}

function another (value: Json): Json {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return `${value}x`
  return Array.isArray(value) ? [...value, 'x'] : 'x'
}
