import { createEditing } from '../../lib/browser/writing/editing.js'
import { openEditable } from '../../lib/documents/open.js'
import type { Editable } from '../../lib/documents/types.js'
import { fixture } from '../support.js'

type Editing = ReturnType<typeof createEditing>
type Content = Parameters<Editing['opened']>[0]
type Operation = Parameters<Editing['apply']>[0]
type Outbox = Parameters<Parameters<typeof createEditing>[0]['show']>[1]
type Marks = ReturnType<NonNullable<ReturnType<Editing['view']>>['marks']>

interface Shown { readonly id: string, text: string, marks: Marks }

/** An editor page that shows its document in an array. What it sends arrives with the next `step()`. */
export interface Page {
  readonly shown: Shown[]
  readonly editing: Editing
  texts (): string[]
  type (index: number, offset: number, text: string, removed?: number): void
  split (index: number, offset: number): void
  join (index: number): void
  bold (index: number, from: number, to: number): void
  /** One batch goes up, or one message comes down. False when nothing is on its way. */
  step (direction: 'up' | 'down'): boolean
  cut (): void
}

export async function openPages (fileType: 'docx' | 'txt', count: number, text?: string): Promise<{ editable: Editable, pages: Page[], settle: () => void }> {
  const editable = await openEditable(fileType, fileType === 'docx' ? fixture('report.docx') : Buffer.from(''))
  if (text !== undefined) editable.replaceText(text)
  const listeners: Array<(message: Message) => void> = []
  const pages = Array.from({ length: count }, (_, number) => openPage(String(number), editable, listeners))
  function settle (): void {
    let isMoving = true
    while (isMoving) isMoving = pages.map(page => [page.step('up'), page.step('down')]).flat().includes(true)
  }
  return { editable, pages, settle }
}

type Message = { readonly operation: Operation, readonly by: string } | { readonly received: number }

function openPage (name: string, editable: Editable, listeners: Array<(message: Message) => void>): Page {
  let up: Array<{ readonly batch: number, readonly operations: readonly Operation[] }> = []
  let down: Message[] = []
  let handled = 0
  let outbox: Outbox
  const shown: Shown[] = []
  const indexOf = (id: string | undefined) => shown.findIndex(paragraph => paragraph.id === id)
  const view: NonNullable<ReturnType<Editing['view']>> = {
    ids: () => shown.map(({ id }) => id),
    previous: (id: string) => shown[indexOf(id) - 1]?.id,
    put (id: string, text: string, after?: string) {
      const known = shown[indexOf(id)] ?? { id, text, marks: [] }
      known.text = text
      if (after === undefined || (indexOf(id) >= 0 && view.previous(id) === after)) return
      if (indexOf(id) >= 0) shown.splice(indexOf(id), 1)
      shown.splice(indexOf(after) + 1, 0, known)
    },
    drop: (id: string) => { shown.splice(indexOf(id), 1) },
    marks: (id: string) => shown[indexOf(id)]?.marks ?? [],
    format (id: string, text: string, marks: Marks) {
      const paragraph = shown[indexOf(id)]
      if (paragraph?.text === text) paragraph.marks = marks
    },
    focus () {},
    place: () => null,
    mark () {},
    caret: () => () => {}
  }
  const editing = createEditing({
    send: message => { up.push(message as typeof up[number]); return true },
    show (content, to) {
      outbox = to
      shown.splice(0, Infinity, ...shownOf(content))
      return view
    },
    dirty () {}
  })
  editing.opened(editable.view() as Content, name, 0)
  listeners.push(message => down.push(message))

  return {
    shown,
    editing,
    texts: () => shown.map(({ text }) => text),
    type (index, offset, text, removed = 0) {
      const paragraph = shown[index]!
      const next = paragraph.text.slice(0, offset) + text + paragraph.text.slice(offset + removed)
      outbox.changed(paragraph.id, next)
      paragraph.text = next
    },
    split (index, offset) {
      const { id, text } = shown[index]!
      const added = outbox.newId()
      outbox.together(() => {
        outbox.changed(id, text.slice(0, offset))
        outbox.inserted(added, id, text.slice(offset), id)
      })
      shown[index]!.text = text.slice(0, offset)
      shown.splice(index + 1, 0, { id: added, text: text.slice(offset), marks: [] })
    },
    join (index) {
      const [before, paragraph] = [shown[index - 1]!, shown[index]!]
      outbox.together(() => {
        outbox.changed(before.id, before.text + paragraph.text, paragraph.id)
        outbox.removed(paragraph.id)
      })
      before.text += paragraph.text
      shown.splice(index, 1)
    },
    bold (index, from, to) {
      outbox.formatted(shown[index]!.id, { from, to, format: 'bold', value: true })
    },
    step (direction) {
      if (direction === 'up') {
        editing.push()
        const message = up.shift()
        if (message === undefined) return false
        for (const operation of message.operations) {
          const done = editable.apply(operation)
          if (done !== null) for (const listener of listeners) listener({ operation: done as Operation, by: name })
        }
        handled = message.batch
        down.push({ received: message.batch })
        return true
      }
      const message = down.shift()
      if (message === undefined) return false
      if ('operation' in message) editing.apply(message.operation, message.by === name)
      else editing.received(message.received)
      return true
    },
    cut () {
      [up, down] = [[], []]
      editing.cut()
      editing.opened(editable.view() as Content, name, handled)
    }
  }
}

function shownOf (content: Content): Shown[] {
  if (content.kind === 'text') return [{ id: '', text: content.text, marks: [] }]
  return content.paragraphs.map(({ id, text, marks = [] }) => ({ id, text, marks }))
}
