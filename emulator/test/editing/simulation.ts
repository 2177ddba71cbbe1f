import { openEditable } from '../../lib/documents/open.js'
import type { Editable } from '../../lib/documents/types.js'
import { createReplica } from '../../lib/browser/writing/replica.js'
import { fixture } from '../support.js'

type Content = Parameters<ReturnType<typeof createReplica>['resync']>[0]
type Operation = Parameters<ReturnType<typeof createReplica>['apply']>[0]

/** Numbers below a bound, the same for the same seed. */
export function randomNumbers (seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** An editor page without a browser: its replica, what it shows, and messages that are on their way. */
export interface Page {
  /** What is shown, in order. */
  readonly shown: Array<{ readonly id: string, text: string }>
  type (index: number, offset: number, text: string): void
  split (index: number, offset: number): void
  join (index: number): void
  send (): void
  /** One message arrives, at the server or here. */
  step (direction: 'up' | 'down'): void
  /** All that is on its way is lost; the page comes back with what the server has. */
  cut (): void
  isIdle (): boolean
}

/** A document at the server and pages that edit it together. */
export async function startSimulation (
  fileType: 'docx' | 'txt',
  text: string,
  count: number
): Promise<{ editable: Editable, pages: Page[], texts: () => string[] }> {
  const editable = await openEditable(fileType, fileType === 'docx' ? fixture('report.docx') : Buffer.from(''))
  editable.replaceText(text)
  const listeners: Array<(message: Message) => void> = []
  const pages = Array.from({ length: count }, (_, number) => createPage(number, editable, listeners))
  return { editable, pages, texts: () => shownOf(editable.view() as Content).map(({ text }) => text) }
}

type Message = { readonly operation: Operation, readonly by: number } | { readonly received: number }

function createPage (number: number, editable: Editable, listeners: Array<(message: Message) => void>): Page {
  const replica = createReplica()
  let up: Array<{ readonly batch: number, readonly operations: readonly Operation[] }> = []
  let down: Message[] = []
  let batch = 0
  let handled = 0
  let added = 0
  const shown: Page['shown'] = []
  const indexOf = (id: string | undefined) => shown.findIndex(paragraph => paragraph.id === id)
  const view = {
    ids: () => shown.map(({ id }) => id),
    previous: (id: string) => shown[indexOf(id) - 1]?.id,
    put (id: string, text: string, after?: string) {
      const known = shown[indexOf(id)] ?? { id, text }
      known.text = text
      if (after === undefined || (indexOf(id) >= 0 && view.previous(id) === after)) return
      if (indexOf(id) >= 0) shown.splice(indexOf(id), 1)
      shown.splice(indexOf(after) + 1, 0, known)
    },
    drop: (id: string) => { shown.splice(indexOf(id), 1) },
    marks: () => [],
    format () {},
    focus () {},
    place: () => null,
    mark () {},
    caret: () => () => {}
  }
  function show (content: Content): void {
    shown.splice(0, Infinity, ...shownOf(content))
    replica.attach(content, view)
  }
  show(editable.view() as Content)
  listeners.push(message => down.push(message))

  return {
    shown,
    type (index, offset, text) {
      const paragraph = shown[index]!
      paragraph.text = paragraph.text.slice(0, offset) + text + paragraph.text.slice(offset)
      replica.changed(paragraph.id, paragraph.text)
    },
    split (index, offset) {
      const paragraph = shown[index]!
      const id = `${number}-${++added}`
      const tail = paragraph.text.slice(offset)
      paragraph.text = paragraph.text.slice(0, offset)
      replica.changed(paragraph.id, paragraph.text)
      shown.splice(index + 1, 0, { id, text: tail })
      replica.inserted(id, paragraph.id, tail)
    },
    join (index) {
      const [before, paragraph] = [shown[index - 1]!, shown[index]!]
      before.text += paragraph.text
      replica.changed(before.id, before.text)
      shown.splice(index, 1)
      replica.removed(paragraph.id)
    },
    send () {
      if (replica.isSending()) return
      const operations = replica.take()
      if (operations.length > 0) up.push({ batch: ++batch, operations })
    },
    step (direction) {
      if (direction === 'up') {
        const message = up.shift()
        if (message === undefined) return
        for (const operation of message.operations) {
          const done = editable.apply(operation)
          if (done !== null) for (const listener of listeners) listener({ operation: done as Operation, by: number })
        }
        handled = message.batch
        down.push({ received: message.batch })
      } else {
        const message = down.shift()
        if (message === undefined) return
        if ('operation' in message) replica.apply(message.operation, message.by === number)
        else if (message.received === batch) replica.received()
      }
    },
    cut () {
      [up, down] = [[], []]
      show(replica.resync(editable.view() as Content, handled === batch))
    },
    isIdle: () => up.length === 0 && down.length === 0 && !replica.isUnsent()
  }
}

function shownOf (content: Content): Page['shown'] {
  if (content.kind === 'text') return [{ id: '', text: content.text }]
  return content.paragraphs.map(({ id, text }) => ({ id, text }))
}
