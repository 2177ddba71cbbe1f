// Moments from top to bottom, beside the document key that was used then.
import { box, LINE_HEIGHT, svg, text, wrap } from './svg.js'

/** @typedef {{ says: string, key: number | null }} Moment `key`: the first key is 0; `null`: not about a session. */

const WIDTH = 520
const MARGIN = 16
const LABEL = { width: 66, height: 26 }
const LINE_X = 112
const TEXT_X = 132
const ROW = 32

/** @param {{ title: string, moments: readonly Moment[] }} diagram */
export function timeline ({ title, moments }) {
  /** @type {string[]} */
  const content = []
  let y = 8
  for (const stretch of stretches(moments)) {
    y += 14
    const [first] = stretch
    const rows = stretch.map(({ says }) => wrap(says, WIDTH - TEXT_X - MARGIN))
    const height = rows.reduce((sum, lines) => sum + ROW + (lines.length - 1) * LINE_HEIGHT, 0)
    if (first?.key !== null) {
      content.push(box({ x: MARGIN, y: y + 3, ...LABEL, label: labelOf(first?.key ?? 0) }))
      content.push(
        `<line class="arrow" x1="${LINE_X}" y1="${y + ROW / 2}" x2="${LINE_X}" y2="${y + height - ROW / 2}"/>`
      )
    }
    for (const lines of rows) {
      const isKey = first?.key !== null
      if (isKey) content.push(`<circle class="tip" cx="${LINE_X}" cy="${y + ROW / 2}" r="5"/>`)
      for (const [index, line] of lines.entries()) {
        content.push(
          text({ x: TEXT_X, y: y + ROW / 2 + 5 + index * LINE_HEIGHT, text: line, kind: isKey ? 'text' : 'strong' })
        )
      }
      y += ROW + (lines.length - 1) * LINE_HEIGHT
    }
  }
  return svg({ width: WIDTH, height: y + 18, title, description: describe(moments), content })
}

/** Neighbours with the same key. @param {readonly Moment[]} moments */
function stretches (moments) {
  /** @type {Moment[][]} */
  const all = []
  for (const moment of moments) {
    const last = all.at(-1)
    if (last && last[0]?.key === moment.key) last.push(moment)
    else all.push([moment])
  }
  return all
}

/** @param {number} key */
function labelOf (key) {
  return `key ${key + 1}`
}

/** @param {readonly Moment[]} moments */
function describe (moments) {
  return moments.map(({ says, key }, index) => `${index + 1}. ${says}${key === null ? '' : ` (${labelOf(key)})`}.`)
    .join(' ')
}
