// A sequence diagram: who sends what to whom, from top to bottom. Narrow, so that it can be read on a phone.
import { arrow, box, LINE_HEIGHT, svg, text, widthOf, wrap } from './svg.js'

/** @typedef {'browser' | 'documentServer' | 'application' | 'storage' | 'other'} Participant */
/** @typedef {{ from: Participant, to: Participant, says: string, code?: string, isReply?: boolean, isBad?: boolean }} Message */
/** @typedef {{ heading: string }} Heading What begins here. */
/** @typedef {Message | Heading} Step */

const WIDTH = 520
const MARGIN = 14
const HEAD = { y: 16, height: 32 }
const GAP = 24

/** @type {Record<Participant, { name: string, x: number }>} */
const PARTICIPANTS = {
  browser: { name: 'browser', x: 70 },
  documentServer: { name: 'document server', x: 202 },
  application: { name: 'application', x: 340 },
  storage: { name: 'storage', x: 452 },
  /** Comes in from the edge. */
  other: { name: 'another program', x: WIDTH }
}

/** @param {{ title: string, steps: readonly Step[] }} diagram */
export function sequence ({ title, steps }) {
  /** @type {string[]} */
  const content = []
  let y = HEAD.y + HEAD.height + 4
  for (const step of steps) {
    if ('heading' in step) {
      y += 20
      content.push(headingAt(step, y))
      y += 30
    } else {
      const drawn = messageAt(step, y + GAP)
      content.push(...drawn.content)
      y = drawn.y
    }
  }
  const height = y + 24
  const speakers = new Set(steps.flatMap(step => 'from' in step ? [step.from, step.to] : []))
  speakers.delete('other')
  const used = Array.from(speakers, name => PARTICIPANTS[name]).sort((one, other) => one.x - other.x)
  const lives = used.map(({ x }) =>
    `<line class="life" x1="${x}" y1="${HEAD.y + HEAD.height}" x2="${x}" y2="${height - 12}"/>`
  )
  const heads = used.map(({ name, x }) => {
    const width = widthOfHead(name)
    return box({ x: x - width / 2, y: HEAD.y, width, height: HEAD.height, label: name })
  })
  return svg({ width: WIDTH, height, title, description: describe(steps), content: [...lives, ...heads, ...content] })
}

/** @param {string} name */
function widthOfHead (name) {
  return Math.max(88, widthOf(name, 'strong') + 16)
}

/**
 * @param {Heading} heading
 * @param {number} y
 */
function headingAt ({ heading }, y) {
  const band = `<rect class="band" x="${MARGIN}" y="${y}" width="${WIDTH - 2 * MARGIN}" height="28" rx="6"/>`
  return `${band}\n${text({ x: MARGIN + 10, y: y + 19, text: heading, kind: 'strong plain' })}`
}

/**
 * The text of a message is above the middle of its arrow.
 * @param {Message} message
 * @param {number} top
 */
function messageAt ({ from, to, says, code, isReply = false, isBad = false }, top) {
  const [start, end] = [PARTICIPANTS[from].x, PARTICIPANTS[to].x]
  const lines = wrap(says, WIDTH - 4 * MARGIN)
  const widest = Math.max(...lines.map(line => widthOf(line)), code === undefined ? 0 : widthOf(code, 'code'))
  const x = Math.round(Math.min(Math.max((start + end) / 2, MARGIN + widest / 2), WIDTH - MARGIN - widest / 2))
  const kind = isBad ? 'text bad' : 'text'
  const content = lines.map((line, index) =>
    text({ x, y: top + index * LINE_HEIGHT, text: line, anchor: 'middle', kind })
  )
  let y = top + (lines.length - 1) * LINE_HEIGHT
  if (code !== undefined) content.push(text({ x, y: y += 17, text: code, kind: 'code', anchor: 'middle' }))
  y += 11
  const gap = Math.sign(end - start) * 3
  content.push(arrow({ x: start + gap, y }, { x: end - gap, y }, { isReply }))
  return { content, y }
}

/** @param {readonly Step[]} steps */
function describe (steps) {
  let number = 0
  return steps.map(step => {
    if ('heading' in step) return `${step.heading}:`
    const { from, to, says, code } = step
    return `${++number}. ${PARTICIPANTS[from].name} to ${PARTICIPANTS[to].name}: ${says}${code === undefined ? '' : ` (${code})`}.`
  }).join(' ')
}
