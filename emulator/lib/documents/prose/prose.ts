import { randomUUID } from 'node:crypto'
import { Fragment, type Mark, type Node, type NodeType, type Schema, Slice } from 'prosemirror-model'
import { AttrStep, DocAttrStep, ReplaceStep, Step, type StepMap, Transform } from 'prosemirror-transform'
import { schema } from '../../text/schema.js'
import { hasSameShapes, hasSlides } from '../../text/slides.js'
import type { Editable, HeadingColors, ProseView, StepsOperation } from '../types.js'

/** A format whose files are edited as text with formats. */
export interface ProseFormat {
  /** As it was read from the file. */
  readonly doc: Node
  readonly plain?: boolean
  readonly levels?: HeadingColors
  /** A picture to insert; absent where none can be. Throws if the bytes are no picture. */
  picture?: (bytes: Uint8Array) => Node
  /** The file with another content. */
  write: (doc: Node) => Uint8Array
}

export const { nodes, marks } = schema as Schema as {
  readonly nodes: Readonly<Record<string, NodeType>>
  readonly marks: Schema['marks']
}

/** The marks that a person sets. */
export const FORMATS = ['bold', 'italic', 'underline', 'strike'] as const
export type Format = typeof FORMATS[number]

/** Older steps are forgotten: a page that missed one of them shows the document anew. */
const MAX_STEPS = 10_000
/** Of blocks in blocks: a file that is nested too deeply could not be opened again. */
const MAX_DEPTH = 64

/** The document that all pages have in common: it decides in which order their steps count. */
export function proseDocument (original: Uint8Array, format: ProseFormat): Editable {
  const { plain = false, levels = {}, picture } = format
  const epoch = randomUUID()
  let { doc } = format
  /** The number of all steps so far. */
  let version = 0
  let latest: Array<{ readonly step: Step, readonly client: string }> = []
  let written: { readonly doc: Node, readonly bytes: Uint8Array } = { doc, bytes: original }

  function since (from: number): typeof latest | undefined {
    return from > version || version - from > latest.length ? undefined : latest.slice(latest.length + from - version)
  }

  function make (steps: readonly Step[], client: string): StepsOperation | null {
    const transform = new Transform(doc)
    const isFitting = steps.every(step => fits(step, transform))
    if (!isFitting || steps.length === 0 || !hasSameShapes(doc, transform.doc)) return null
    const operation = { op: 'steps' as const, version, steps: steps.map(step => step.toJSON() as object), client }
    doc = transform.doc
    version += steps.length
    latest = [...latest, ...steps.map(step => ({ step, client }))].slice(-MAX_STEPS)
    return operation
  }

  return {
    view: (from): ProseView => {
      const steps = from?.epoch === epoch ? since(from.version) : undefined
      return {
        kind: 'prose',
        epoch,
        version,
        plain,
        levels,
        doc: doc.toJSON() as object,
        ...(steps !== undefined && {
          missed: {
            steps: steps.map(({ step }) => step.toJSON() as object),
            clients: steps.map(({ client }) => client)
          }
        })
      }
    },
    apply (operation) {
      if (operation.op !== 'steps') return null
      const missed = since(operation.version)
      const steps = stepsOf(operation)
      if (missed === undefined || steps === null) return null
      const { client } = operation
      const others = missed.findIndex(made => made.client !== client)
      return others === -1 ? make(steps.slice(missed.length), client) : null
    },
    again ({ steps }) {
      const read = stepsOf({ steps })
      return read === null ? null : make(read, '')
    },
    replaceText (text) {
      if (hasSlides(doc)) throw new TypeError('Slides cannot be edited with a string: use the bytes of a file instead')
      const next = withLines(doc, plain ? text.replaceAll('\r\n', '\n').split('\n') : linesOf(text))
      const step = next === null ? null : difference(doc, next)
      return step === null ? false : make([step], '') ?? false
    },
    ...(picture !== undefined && {
      appendImage (bytes: Uint8Array) {
        const paragraph = nodes.paragraph!.create(null, picture(bytes))
        const end = doc.content.size
        return make([new ReplaceStep(end, end, new Slice(Fragment.from(paragraph), 0, 0))], '')
      }
    }),
    ...(!hasSlides(doc) && {
      appendLines (lines: readonly string[]) {
        const added = Fragment.from(lines.map(line => paragraphOf(line)))
        const at = endOfText(doc)
        return make([new ReplaceStep(at, at, new Slice(added, 0, 0))], '')
      }
    }),
    bytes () {
      if (!written.doc.eq(doc)) written = { doc, bytes: doc.eq(format.doc) ? original : format.write(doc) }
      return written.bytes
    }
  }
}

/** `null` if one is malformed, or has a mark that the schema does not allow. */
function stepsOf ({ steps }: Pick<StepsOperation, 'steps'>): Step[] | null {
  try {
    return steps.map(json => {
      const step = Step.fromJSON(schema, json)
      const { mark } = step as { readonly mark?: Node['marks'][number] }
      if (mark !== undefined) schema.text(' ', [mark]).check()
      return step
    })
  } catch {
    return null
  }
}

/** Makes a step, unless it was made for another document, or makes what the schema does not allow. */
function fits (step: Step, transform: Transform): boolean {
  try {
    const { doc } = step.apply(transform.doc)
    if (doc === null || step instanceof DocAttrStep) return false
    checkChanged(doc, step.getMap())
    if (step instanceof AttrStep) {
      const node = doc.nodeAt(step.pos)!
      node.check()
      if (!Object.hasOwn(node.attrs, step.attr)) return false
    }
    transform.step(step)
    return true
  } catch {
    return false
  }
}

/** Throws if what a step made is not allowed. Its slice may be incomplete: what is around it completes it. */
function checkChanged (doc: Node, map: StepMap): void {
  const places: number[] = []
  map.forEach((_from, _to, start, end) => { places.push(start, end) })
  if (places.length > 0) checkBetween(doc, Math.min(...places), Math.max(...places))
}

function checkBetween (parent: Node, from: number, to: number, depth = 0): void {
  if (depth > MAX_DEPTH) throw new RangeError(`Blocks are nested more than ${MAX_DEPTH} levels deep`)
  if (!parent.type.validContent(parent.content)) throw new RangeError(`Not the content of a ${parent.type.name}`)
  parent.forEach((node, start) => {
    if (start + node.nodeSize < from || start > to) return
    if (node.isLeaf || node.isTextblock) return node.check()
    node.type.createAndFill(node.attrs)!.check() // its attributes
    checkBetween(node, from - start - 1, to - start - 1, depth + 1)
  })
}

/** The document with these lines; `null` if they are its paragraphs already. */
function withLines (doc: Node, lines: readonly string[]): Node | null {
  const present: string[] = []
  doc.descendants(node => {
    if (!node.isTextblock) return true
    present.push(node.textBetween(0, node.content.size))
    return false
  })
  if (present.length === lines.length && present.every((line, index) => line === lines[index])) return null
  const models = doc.children.filter(({ type }) => type === nodes.paragraph)
  return doc.copy(Fragment.from(lines.map((line, index) => paragraphOf(line, models[index] ?? models.at(-1)))))
}

/** A paragraph with this text, and the attributes and formats of another one. */
export function paragraphOf (line: string, model?: Node): Node {
  if (model?.textBetween(0, model.content.size) === line) return model
  return nodes.paragraph!.create(
    model?.attrs ?? null,
    line === '' ? null : schema.text(line, model?.firstChild?.marks.filter(({ type }) => type !== marks.link))
  )
}

/** Replaces what differs; `null` if nothing does. */
function difference (before: Node, after: Node): Step | null {
  const start = before.content.findDiffStart(after.content)
  const end = before.content.findDiffEnd(after.content)
  if (start === null || end === null) return null
  const overlap = Math.max(start - Math.min(end.a, end.b), 0) // of what is alike from both ends
  return new ReplaceStep(start, end.a + overlap, after.slice(start, end.b + overlap))
}

/** Behind the last paragraph. */
function endOfText (doc: Node): number {
  let end = 0
  doc.forEach((node, offset) => { if (node.type === nodes.paragraph) end = offset + node.nodeSize })
  return end === 0 ? doc.content.size : end
}

function linesOf (text: string): string[] {
  return text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
}

/** How the first text with a look in a paragraph looks. */
export function firstLook (paragraph: Node | undefined): Mark | undefined {
  return paragraph?.children.flatMap(({ marks }) => marks).find(({ type }) => type === marks.look)
}

/** The attribute `box` of a shape: its place and size as parts of the slide's. */
export function boxFrom (...[left, top, width, height]: [number, number, number, number]): string {
  return [left, top, width, height].map(part => String(Math.round(part * 1000) / 10)).join(' ')
}

/** `#rrggbb`; `null` for anything else, such as `auto`. */
export function colorFrom (hex: string | null | undefined): string | null {
  return /^[0-9a-f]{6}$/i.test(hex ?? '') ? `#${hex}` : null
}

/** Removes the characters that XML can't contain. */
export function wellFormed (text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g, '')
}
