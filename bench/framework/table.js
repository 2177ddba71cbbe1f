// What is printed, and the tables of RESULTS.md.

/** @typedef {import('./measure.js').Measured} Measured */
/** @typedef {import('./measure.js').ComparisonLine} ComparisonLine */
/** @typedef {import('./measure.js').FigureLine} FigureLine */
/** @typedef {import('./statistics.js').Range} Range */

const HEADER = [
  'what',
  'the plugin',
  'beside',
  'its figure',
  'ratio (range)',
  'ratio of CPU time',
  'CPU µs',
  'memory MB',
  'goal',
  'met'
]
const TIME_UNITS = [{ unit: 's', seconds: 1 }, { unit: 'ms', seconds: 1e-3 }, { unit: 'µs', seconds: 1e-6 }]

/** @param {readonly Measured[]} measured */
export function table (measured) {
  const lines = measured.flatMap(({ title, comparisons, figures }) => [
    ...comparisons.map(line => comparison(title, line)),
    ...figures.map(line => figure(title, line))
  ])
  return [HEADER, HEADER.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** The ratio that the goal is for. @param {ComparisonLine} line */
function judgedRatio ({ judgedBy, cpuRatio, ratio }) {
  return judgedBy === 'cpu' ? cpuRatio : ratio
}

/** @param {FigureLine} line */
function isFigureMet ({ value, atMost = Infinity, atLeast = -Infinity }) {
  return value.median <= atMost && value.median >= atLeast
}

/**
 * @param {string} title
 * @param {ComparisonLine} line
 */
function comparison (title, line) {
  const { peer, ours, theirs, ratio, cpuRatio, goal, judgedBy } = line
  return [
    title,
    time(ours.time.median),
    peer,
    time(theirs.time.median),
    compared(ratio),
    compared(cpuRatio),
    `${number(ours.cpu.median * 1e6)} : ${number(theirs.cpu.median * 1e6)}`,
    `${number(ours.rss.median)} : ${number(theirs.rss.median)}`,
    goal === undefined ? 'none: a limit' : `≥ ${goal} × (${judgedBy === 'cpu' ? 'CPU' : 'time'})`,
    goal === undefined ? '' : verdict(judgedRatio(line).median >= goal)
  ]
}

/**
 * @param {string} title
 * @param {FigureLine} line
 */
function figure (title, line) {
  const { name, unit, value, atMost, atLeast } = line
  const goal = atMost !== undefined ? `≤ ${atMost} ${unit}` : atLeast !== undefined ? `≥ ${atLeast} ${unit}` : ''
  return [
    `${title}: ${name}`,
    `${ranged(value)} ${unit}`,
    '',
    '',
    '',
    '',
    '',
    '',
    goal,
    goal && verdict(isFigureMet(line))
  ]
}

/** @param {boolean} met */
function verdict (met) {
  return met ? 'yes' : '**no**'
}

/** A difference inside the range is no difference. @param {Range} ratio */
function compared (ratio) {
  return `${ranged(ratio)} ×${ratio.low <= 1 && ratio.high >= 1 ? ' (no difference)' : ''}`
}

/** @param {Range} range */
function ranged ({ median, low, high }) {
  return `${number(median)} (${number(low)}–${number(high)})`
}

/** @param {number} seconds */
function time (seconds) {
  const { unit, seconds: size } = TIME_UNITS.find(({ seconds: size }) => seconds >= size) ??
    { unit: 'µs', seconds: 1e-6 }
  return `${number(seconds / size)} ${unit}`
}

/** Three digits, or as many as the integer has. @param {number} value */
function number (value) {
  if (!Number.isFinite(value)) return '—'
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}
