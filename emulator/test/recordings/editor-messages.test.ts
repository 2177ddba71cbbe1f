import t from 'tap'
import { isLate, recordedEvents } from './events.js'
import { changes } from './mutations.js'
import { type EditorStep, recording, recordingNames, type Step } from './recording.js'

// Proves which parts of a recorded message to an editor become part of the event that is compared.

const NOT_COMPARED = [
  /^waitAuth lockDocument › /,
  /^auth (result|indexUser|openedAt|participants › \d+ › id) /,
  /^documentOpen data › (type|openedAt|data › .*) › another (text|number)$/,
  /^authChanges changes › \d+ › /,
  /^saveChanges (changes › \d+ › (docid|change|time|user)|changesIndex|syncChangesIndex|endSaveChanges|excelAdditionalInfo) /,
  /^forceSaveStart messages › (time|inProgress|url) /,
  /^forceSave messages › (type|time) /,
  /^drop code /,
  /^meta messages › other /,
  /^connectError message /,
  /^socketClosed reason /
]

const LEAF = / › another (text|number)$| › the opposite$| › not null$/

t.test('each value of a message is compared or listed as an exception', async t => {
  let count = 0
  for (const { name, steps } of recordingNames().map(recording)) {
    const told = eventsOf(steps)
    for (const [index, step] of steps.entries()) {
      if (step.kind !== 'editor' || hasNoSession(steps, step) || isLate(step, steps)) continue
      for (const [what, message] of changes(step.message)) {
        const place = `${step.message.type} ${what}`
        if (!LEAF.test(place) || what.startsWith('type ')) continue
        const isCompared = eventsOf(steps.with(index, { ...step, message } as Step)) !== told
        if (isCompared === isNamed(place)) t.fail(`${name}: ${place}`)
        count++
      }
    }
  }
  t.ok(count > 500, `${count} values`)
})

t.test('each message is compared or listed as an exception', async t => {
  for (const { name, steps } of recordingNames().map(recording)) {
    const told = eventsOf(steps)
    for (const [index, step] of steps.entries()) {
      if (step.kind !== 'editor') continue
      const isCompared = eventsOf(steps.toSpliced(index, 1)) !== told
      const isSilent = step.message.type === 'waitAuth' || hasNoSession(steps, step) || isLate(step, steps)
      t.equal(isCompared, !isSilent, `${name}: ${step.message.type} of ${step.user}`)
    }
  }
})

function isNamed (place: string): boolean {
  return NOT_COMPARED.some(pattern => pattern.test(place))
}

function hasNoSession (steps: readonly Step[], { user, message }: EditorStep): boolean {
  const own = steps.filter(step => step.kind === 'editor').filter(step => step.user === user).map(step => step.message.type)
  return message.type === 'socketClosed' && own.includes('disconnectReason') && !own.includes('auth')
}

function eventsOf (steps: readonly Step[]): string {
  try {
    return JSON.stringify(recordedEvents(steps))
  } catch (error) {
    return String(error)
  }
}
