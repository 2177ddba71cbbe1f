// A bar for each comparison with a goal: how many times as fast as the peer, on a logarithmic scale, with its range and
// its goal.
import { judgedRatio } from './table.js'

/** @typedef {import('./measure.js').Measured} Measured */

const WIDTH = 960
const LEFT = 430
const RIGHT = 70
const BAR = 16
const STEP = 26
const TOP = 44
const SCALE = { from: 0.1, to: 40 }
const TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]

/** @param {readonly Measured[]} rows */
export function chart (rows) {
  const lines = rows.flatMap(({ title, comparisons }) => comparisons
    .filter(({ goal }) => goal !== undefined)
    .map(line => ({ title: `${title}, × ${line.peer}`, ratio: judgedRatio(line), goal: line.goal ?? 1 })))
  const height = TOP + lines.length * STEP + 12
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${LEFT}" y="14">the peer's CPU time (of saves: time) as a multiple of the plugin's; thin line: range of the processes; red: goal</text>
${TICKS.map(tick => `<text x="${x(tick)}" y="32" text-anchor="middle" fill="#555">${tick}</text>
<line x1="${x(tick)}" y1="38" x2="${x(tick)}" y2="${height}" stroke="${tick === 1 ? '#333' : '#ddd'}"/>`).join('\n')}
${lines.map((line, index) => bar(line, TOP + index * STEP)).join('\n')}
</svg>
`
}

/**
 * @param {{ title: string, ratio: import('./statistics.js').Range, goal: number }} line
 * @param {number} y
 */
function bar ({ title, ratio: { median, low, high }, goal }, y) {
  const middle = y + BAR / 2
  return `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end">${escaped(title)}</text>
<rect x="${LEFT}" y="${y}" width="${x(median) - LEFT}" height="${BAR}" fill="${median >= goal ? '#2a7f62' : '#8aa'}"/>
<line x1="${x(low)}" y1="${middle}" x2="${x(high)}" y2="${middle}" stroke="#000"/>
<line x1="${x(goal)}" y1="${y - 2}" x2="${x(goal)}" y2="${y + BAR + 2}" stroke="#c00" stroke-width="2"/>
<text x="${Math.max(x(high), x(goal)) + 6}" y="${y + 12}">${median.toPrecision(3)}</text>`
}

/** @param {number} ratio */
function x (ratio) {
  const { from, to } = SCALE
  const share = Math.log(Math.min(Math.max(ratio, from), to) / from) / Math.log(to / from)
  return Math.round(LEFT + share * (WIDTH - LEFT - RIGHT))
}

/** @param {string} text */
function escaped (text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
