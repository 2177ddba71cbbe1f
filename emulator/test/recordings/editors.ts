import type { DocumentServer, DocumentServerError, EditorConfig, Session } from '../../lib/index.js'
import { signed, toHost } from './calls.js'
import { seenEvent } from './events.js'
import type { Entry } from './log.js'
import type { ClientStep, JsonObject } from './recording.js'

interface Editor {
  readonly user: string
  session?: Session
  /** How many of the session's events were looked at. */
  seen: number
}

/** The editors of a recording, driven through the scripting API. */
export function createEditors (server: DocumentServer, host: string, now: () => number) {
  const editors: Editor[] = []
  const events: Record<string, Entry[]> = {}
  const running = new Map<Promise<void>, string>()
  let edits = 0

  function told (user: string, event: Entry['value'] & object & { type?: unknown }): void {
    (events[user] ??= []).push({ at: now(), name: String(event.type), value: event })
  }

  /** Keeps something running while the clock advances. */
  function start (what: string, task: () => Promise<unknown>): void {
    const run = task().then(() => {}, error => told(what, { type: 'failed', description: String(error) })).finally(() => running.delete(run))
    running.set(run, what)
  }

  async function open (editor: Editor, step: ClientStep): Promise<void> {
    try {
      editor.session = await server.open(configOf(toHost(step, host)))
    } catch (error) {
      const { code, message, events = [] } = error as DocumentServerError
      for (const event of events) {
        const entry = seenEvent(event, { viewOnly: event.type === 'joined' && event.users.at(-1)?.viewOnly === true })
        if (entry !== null) told(editor.user, entry)
      }
      if (events.length === 0) told(editor.user, { type: 'failed', code, description: message })
    }
  }

  function sessionOf (user: string): Session | undefined {
    return editors.findLast(editor => editor.user === user)?.session
  }

  return {
    events,
    /** What is still under way. */
    running: () => [...running.values()],
    async act (step: ClientStep): Promise<void> {
      const user = step.user!
      const session = sessionOf(user)
      if (step.action === 'open') {
        const editor = { user, seen: 0 }
        editors.push(editor)
        start(user, async () => await open(editor, step))
        return
      }
      if (session === undefined) return // its opening failed
      switch (step.action) {
        case 'edit':
          // What was typed once was typed again: each is a change.
          // Who may not edit is told so by an event.
          for (const text of step.changes!) await session.edit(`${text}, edit ${++edits}`).catch(() => {})
          break
        case 'force save': start(user, async () => await session.forceSave()); break
        case 'close': start(user, async () => await session.close()); break
        case 'disconnect': await session.disconnect(); break
        case 'reconnect': start(user, async () => await session.reconnect()); break
        default: throw new TypeError(`An action that is not known: ${step.action}`)
      }
    },
    /** Notes the events that have come since. */
    look (): void {
      for (const editor of editors) {
        for (const event of editor.session?.events.slice(editor.seen) ?? []) {
          editor.seen++
          const entry = seenEvent(event, editor.session!)
          if (entry !== null) told(editor.user, entry)
        }
      }
    }
  }
}

function configOf (step: ClientStep): EditorConfig {
  const config = step.config ?? {
    documentType: 'word',
    document: { key: step.key!, title: 'hello.docx', fileType: 'docx', url: step.documentUrl! },
    editorConfig: { callbackUrl: step.callbackUrl!, lang: 'en', mode: step.mode!, user: { id: step.userId ?? nameOf(step.user!), name: step.userName! } }
  } satisfies JsonObject
  const claims = step.tokenClaims === undefined ? config : step.tokenClaims
  return { ...config, ...(claims === null ? {} : { token: signed(claims, step.signedWith) }) }
}

/** Some users stand in the recording with what they did: `uid-1 (reloaded)`. */
function nameOf (user: string): string {
  return user.replace(/ \(.*\)$/, '')
}
