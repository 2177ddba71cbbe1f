import { Node } from 'prosemirror-model'
import { type EditorState, TextSelection, type Transaction } from 'prosemirror-state'
import { Step } from 'prosemirror-transform'
import { createTextEditing } from '../../lib/page/browser/text/editing.js'
import { schema } from '../../lib/text/schema.js'

type Editing = ReturnType<typeof createTextEditing>
type Content = Parameters<Editing['opened']>[0]
type Steps = Parameters<Editing['apply']>[0]
export type Message = { readonly steps: Steps } | { readonly received: number }

/** Numbers below a bound, the same for the same seed. */
export function randomNumbers (seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** An editor page that shows its document nowhere. What it sends arrives with the next `step()`. */
export interface Page {
  readonly editing: Editing
  readonly state: () => EditorState
  /** The texts of the paragraphs. */
  texts (): string[]
  /** Makes an edit. */
  edit (change: (transaction: Transaction) => Transaction): void
  /** In a paragraph, at the offset of a character. */
  type (index: number, offset: number, text: string, removed?: number): void
  split (index: number, offset: number): void
  /** One batch goes up, or one message comes down. False when nothing is on its way. */
  step (direction: 'up' | 'down'): boolean
  /** All that is on its way is lost; the page comes back. */
  cut (): void
}

/** A document server that only knows versions of one document. */
export interface Authority {
  readonly doc: () => Node
  /** What a page gets that opens the document, or comes back. */
  content (since?: { readonly epoch: string, readonly version: number }): Content
  /** Replaces the document. */
  replace (doc: Node): void
  receive (steps: Steps): void
  /** What pages are told. */
  readonly listeners: Array<(message: Message) => void>
}

export function paragraphs (...texts: string[]): Node {
  return schema.node('doc', null, texts.map((text, index) =>
    schema.node('paragraph', { ref: `p${index}` }, text === '' ? [] : [schema.text(text)])
  ))
}

export function startAuthority (doc: Node): Authority {
  const listeners: Array<(message: Message) => void> = []
  let made: Array<{ readonly step: object, readonly client: string }> = []
  let epoch = 0
  return {
    listeners,
    receive,
    doc: () => doc,
    content: since => ({
      kind: 'prose',
      epoch: String(epoch),
      version: made.length,
      doc: doc.toJSON(),
      plain: false,
      levels: { 1: null, 2: '#1f2a44' },
      ...since?.epoch === String(epoch) && {
        missed: {
          steps: made.slice(since.version).map(({ step }) => step),
          clients: made.slice(since.version).map(({ client }) => client)
        }
      }
    }),
    replace (next) {
      doc = next
      made = []
      epoch++
    }
  }

  function receive ({ version, steps, client }: Steps): void {
    const later = made.slice(version)
    const others = later.findIndex(step => step.client !== client)
    const known = Math.min(others === -1 ? later.length : others, steps.length)
    if (version + known !== made.length) return
    const fresh = steps.slice(known)
    for (const step of fresh) {
      doc = Step.fromJSON(schema, step).apply(doc).doc!
      doc.check()
      made.push({ step, client })
    }
    for (const listener of listeners) listener({ steps: { op: 'steps', version: version + known, steps: fresh, client } })
  }
}

/** Pages that edit a document together. */
export function openPages (doc: Node, count: number): { authority: Authority, pages: Page[], settle: () => void } {
  const authority = startAuthority(doc)
  const pages = Array.from({ length: count }, (_, number) => openPage(String(number), authority))
  return {
    authority,
    pages,
    settle () {
      let isMoving = true
      while (isMoving) isMoving = pages.map(page => [page.step('up'), page.step('down')]).flat().includes(true)
    }
  }
}

function openPage (name: string, authority: Authority): Page {
  let up: Array<{ readonly batch: number, readonly operations: readonly Steps[] }> = []
  let down: Message[] = []
  let state: EditorState
  let dispatch: (transaction: Transaction) => void
  const editing = createTextEditing({
    send: message => {
      up.push(JSON.parse(JSON.stringify(message)))
      return true
    },
    show (_content, shown, make) {
      [state, dispatch] = [shown, make]
      return { update (next) { state = next }, destroy () {}, focus () {}, caret: () => '', place: () => null, mark () {}, reveal () {} }
    },
    dirty () {}
  })
  editing.opened(authority.content(), name)
  authority.listeners.push(message => down.push(message))

  const places = () => {
    const found: Array<{ node: Node, start: number }> = []
    state.doc.descendants((node, position) => {
      if (node.isTextblock) found.push({ node, start: position + 1 })
    })
    return found
  }
  const startOf = (index: number) => places()[index]!.start

  return {
    editing,
    state: () => state,
    texts: () => places().map(({ node }) => node.textContent),
    edit: change => dispatch(change(state.tr)),
    type (index, offset, text, removed = 0) {
      const at = startOf(index) + offset
      this.edit(tr => tr.setSelection(TextSelection.create(tr.doc, at, at + removed)).insertText(text))
    },
    split (index, offset) {
      this.edit(tr => tr.split(startOf(index) + offset))
    },
    step (direction) {
      if (direction === 'up') {
        editing.push()
        const message = up.shift()
        if (message === undefined) return false
        message.operations.forEach(authority.receive)
        down.push({ received: message.batch })
        return true
      }
      const message = down.shift()
      if (message === undefined) return false
      if ('steps' in message) editing.apply(message.steps)
      else editing.received(message.received)
      return true
    },
    cut () {
      [up, down] = [[], []]
      const since = editing.since()
      editing.cut()
      editing.opened(authority.content(since), name)
    }
  }
}
