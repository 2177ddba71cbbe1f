import type { EditorEvent } from '../../lib/index.js'
import type { Entry } from './log.js'
import { type EditorStep, isUnanswered, type Json, type JsonObject, type Step } from './recording.js'

/*
 * The editor's own protocol is not reproduced: a message is compared as the event of the scripting API that it is.
 *
 * not compared                                why
 * waitAuth, order of documentOpen and auth    how the protocol waits for a lock before a second editor gets in
 * when it was ready                           ours needs no time to convert what it opens: counted from when it had that
 * indexUser, participants' ids                numbers of connections
 * openedAt, times in changes                  the protocol's own; the callbacks' times are compared
 * addresses in documentOpen                   the editor's own copy of the document
 * text of changes                             theirs is not a document; they are counted
 * users of an outdated key                    none, both sides
 * socketClosed after disconnectReason         an opening that is refused has no session
 * when an opening that fails joined           ours tells it with the failure
 * close of an opening that fails              ours leaves at once
 * question for a password                     ours fails with its code: nobody is there to answer
 * messages after a reconnect without answer   the recorder's editor stayed outside; ours is not sent there
 * documentOpen after close                    the recorder's went on listening
 * text of documentOpen err                    there is only a code
 * close after drop                            ours closes at once, as an editor does; the recorder's waited half a second
 * updateVersion after the one it waited for   an editor that left hears once how its save ended; the recorder's went on listening
 * `users`                                     who came and went was not recorded
 */
const SILENT = new Set(['users'])

/** The events in the messages that an editor received. */
export function recordedEvents (steps: readonly Step[]): Record<string, Entry[]> {
  const events: Record<string, Entry[]> = {}
  const messages = steps.filter(step => step.kind === 'editor')
  for (const step of inOpeningOrder(messages)) {
    const event = isLate(step, steps) ? null : eventOf(step, messages)
    if (event !== null) (events[step.user] ??= []).push({ at: openedAt(step, steps), name: event.type, value: { ...event } })
  }
  return events
}

/** The result of a save, sent to an editor who had left before it and knows the result of their own. */
function isLate ({ at, user, message }: EditorStep, steps: readonly Step[]): boolean {
  const latest = steps.findLast(step => step.at <= at && step.kind === 'client' && step.user === user)
  if (latest !== undefined && isUnanswered(latest, steps)) return true
  if (message.type === 'documentOpen') return latest?.kind === 'client' && latest.action === 'close'
  if (message.type !== 'updateVersion') return false
  const left = steps.findLast(step => step.at < at && step.kind === 'client' && step.user === user && /^(open|close)$/.test(step.action))
  return left?.kind === 'client' && left.action === 'close' && steps.some(step => step.at > left.at && step.at < at &&
    step.kind === 'editor' && step.user === user && step.message.type === 'updateVersion')
}

/**
 * When the document was there: the recorded server went on to convert what it opened. A failed opening has joined in
 * the same moment.
 */
export function openedAt ({ at, user, message }: EditorStep, steps: readonly Step[]): number {
  if (message.type === 'auth') {
    const failure = steps.find(step => step.kind === 'editor' && step.user === user && step.at >= at && isEnd(step.message))
    return failure?.kind === 'editor' && failure.message.type === 'documentOpen' ? openedAt(failure, steps) : at
  }
  if (message.type !== 'documentOpen' || (message.data as JsonObject).data === DOWNLOAD_FAILED) return at
  const source = steps.findLast(step => step.at <= at && ((step.kind === 'request' && step.method === 'GET') ||
    (step.kind === 'client' && step.user === user && step.action === 'open') || (step.kind === 'editor' && step.user === user && step.message.type === 'auth')))
  return source!.at
}

/** `joined` before `ready`, also where the second editor was told the other way round. */
function inOpeningOrder (messages: readonly EditorStep[]): EditorStep[] {
  const ordered = [...messages]
  for (const step of messages) {
    const index = ordered.indexOf(step)
    const opened = ordered.findLastIndex((before, place) =>
      place < index && before.message.type === 'documentOpen' && before.user === step.user
    )
    const isAfter = step.message.type === 'auth' && opened !== -1 &&
      !ordered.slice(0, opened).some(({ user, message }) => user === step.user && message.type === 'auth')
    if (isAfter) ordered.splice(index, 0, ...ordered.splice(opened, 1))
  }
  return ordered
}

/** Whether an editor was told that it can't go on. */
export function isEnd ({ type, data }: JsonObject): boolean {
  return type === 'drop' || (type === 'documentOpen' && /^(err|needpassword)$/.test(String((data as JsonObject).status)))
}

// Downloading takes as long in the emulator.
const DOWNLOAD_FAILED = -81

type Told = { type: string } & Record<string, Json>

function eventOf ({ at, user, message }: EditorStep, messages: readonly EditorStep[]): Told | null {
  const own = messages.filter(each => each.user === user)
  const has = (type: string) => own.some(each => each.message.type === type)
  switch (message.type) {
    case 'auth': return joined(message, own.find(each => each.at >= at && each.message.type === 'documentOpen'))
    case 'documentOpen': {
      const { status, data } = message.data as JsonObject
      if (isEnd(message)) return { type: 'failed', code: data! }
      if (status !== 'ok' && status !== 'updateversion') throw new TypeError(`A status that is not known: ${String(status)}`)
      return { type: 'ready', outdated: status === 'updateversion' }
    }
    case 'authChanges': return { type: 'unsavedChanges', count: (message.changes as Json[]).length }
    case 'saveChanges': return { type: 'changed', userId: (message.changes as JsonObject[])[0]!.useridoriginal! }
    case 'forceSaveStart': {
      const { code } = message.messages as { code: number }
      return { type: 'forceSaveStarted', ...(code === 0 ? {} : { code }) }
    }
    case 'forceSave': return { type: 'forceSaved', accepted: (message.messages as JsonObject).success! }
    case 'updateVersion': return { type: 'saved', accepted: message.success! }
    case 'warning': return { ...message }
    case 'drop': return { type: 'dropped' }
    case 'meta': return { type: 'renamed', title: (message.messages as JsonObject).title! }
    case 'connectError': return { type: 'failed', ...(message.data as { code: number, description: string }) }
    case 'disconnectReason': return { type: 'failed', code: message.code!, description: message.description! }
    case 'socketClosed': return has('disconnectReason') && !has('auth') ? null : { type: 'disconnected' }
    case 'waitAuth': return null
    default: throw new TypeError(`A message that is not known: ${message.type}`)
  }
}

function joined ({ participants, hasForgotten = false }: JsonObject, opening: EditorStep | undefined): Told {
  const all = participants as JsonObject[]
  const users = all.map(({ idOriginal, username, view }) => ({ id: idOriginal!, name: username!, viewOnly: view! }))
  const outdated = (opening?.message.data as JsonObject | undefined)?.status === 'updateversion'
  return { type: 'joined', users, hasForgotten, viewOnly: outdated || all.at(-1)?.view === true }
}

/** The same of an event that the emulator gave to a session. */
export function seenEvent (event: EditorEvent, session: { readonly viewOnly: boolean }): Told | null {
  if (SILENT.has(event.type)) return null
  return event.type === 'joined'
    ? { ...event, users: event.users.map(user => ({ ...user })), viewOnly: session.viewOnly }
    : { ...event } as Told
}
