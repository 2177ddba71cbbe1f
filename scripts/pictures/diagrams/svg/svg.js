// SVG as text. A picture has its own background: a page may be dark where the reader's system is light, and the other
// way round.

/** @typedef {{ x: number, y: number, text: string, kind?: string, anchor?: 'start' | 'middle' | 'end' }} Line */

const FONT_SIZE = 14
export const LINE_HEIGHT = 19

/** Average width of a character, as a part of the font size. Readers have different fonts, so it is a generous one. */
const CHARACTER = { text: 0.56, code: 0.55, strong: 0.6 }

const LIGHT = {
  card: '#ffffff',
  edge: '#d5dbe4',
  ink: '#1d2530',
  soft: '#566274',
  accent: '#2f5fb3',
  box: '#eef3fb',
  band: '#f4f5f8',
  bad: '#b3261e'
}
const DARK = {
  card: '#1b212a',
  edge: '#3a4453',
  ink: '#e6eaf0',
  soft: '#a3afbf',
  accent: '#8fb4f2',
  box: '#26334a',
  band: '#232b36',
  bad: '#ff9b93'
}

/** @param {typeof LIGHT} colors */
const rules = ({ card, edge, ink, soft, accent, box, band, bad }) => `
.card { fill: ${card}; stroke: ${edge} }
.ground { fill: ${card} }
.box { fill: ${box}; stroke: ${accent} }
.band { fill: ${band} }
.life { stroke: ${edge} }
.arrow { stroke: ${accent} }
.tip { fill: ${accent} }
.text, .strong { fill: ${ink} }
.soft, .code { fill: ${soft} }
.text, .soft, .code, .strong { stroke: ${card} }
.plain { stroke: none }
.bad { fill: ${bad} }`

const STYLE = `
text { font: ${FONT_SIZE}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif }
text { paint-order: stroke; stroke-width: 5px; stroke-linejoin: round }
.code { font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.strong { font-weight: 600 }
.plain { stroke-width: 0 }
line, path, rect { stroke-width: 1.5px; fill: none }
.life { stroke-dasharray: 3 4 }
.reply { stroke-dasharray: 6 4 }
.tip, .ground { stroke: none }${rules(LIGHT)}
@media (prefers-color-scheme: dark) {${rules(DARK).replaceAll('\n', '\n  ')}
}`

/** @param {string} text */
function escape (text) {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}

/**
 * A whole picture. Its description is what somebody who does not see it gets.
 * @param {{ width: number, height: number, title: string, description: string, content: string[] }} picture
 */
export function svg ({ width, height, title, description, content }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"
  role="img" aria-labelledby="title description">
<title id="title">${escape(title)}</title>
<desc id="description">${escape(description)}</desc>
<style>${STYLE}
</style>
<rect class="card" x="0.75" y="0.75" width="${width - 1.5}" height="${height - 1.5}" rx="10"/>
${content.join('\n')}
</svg>
`
}

/** @param {Line} line */
export function text ({ x, y, text, kind = 'text', anchor = 'start' }) {
  const position = anchor === 'start' ? '' : ` text-anchor="${anchor}"`
  return `<text class="${kind}" x="${x}" y="${y}"${position}>${escape(text)}</text>`
}

/**
 * A rectangle with a text in its middle.
 * @param {{ x: number, y: number, width: number, height: number, label: string }} box
 */
export function box ({ x, y, width, height, label }) {
  const middle = text({ x: x + width / 2, y: y + height / 2 + 5, text: label, kind: 'strong plain', anchor: 'middle' })
  return `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="7"/>\n${middle}`
}

/**
 * A horizontal or vertical arrow.
 * @param {{ x: number, y: number }} from
 * @param {{ x: number, y: number }} to
 * @param {{ isReply?: boolean }} [options]
 */
export function arrow (from, to, { isReply = false } = {}) {
  const [dx, dy] = [Math.sign(to.x - from.x), Math.sign(to.y - from.y)]
  const back = { x: to.x - 9 * dx, y: to.y - 9 * dy }
  const tip = `M${to.x} ${to.y}L${back.x - 4.5 * dy} ${back.y - 4.5 * dx}L${back.x + 4.5 * dy} ${back.y + 4.5 * dx}Z`
  const kind = isReply ? 'arrow reply' : 'arrow'
  return `<line class="${kind}" x1="${from.x}" y1="${from.y}" x2="${back.x}" y2="${back.y}"/><path class="tip" d="${tip}"/>`
}

/**
 * About how wide a text is.
 * @param {string} text
 * @param {'text' | 'code' | 'strong'} [kind]
 */
export function widthOf (text, kind = 'text') {
  return Math.round(text.length * FONT_SIZE * CHARACTER[kind])
}

/**
 * The lines of a text, each about as wide as allowed.
 * @param {string} text
 * @param {number} width
 */
export function wrap (text, width) {
  /** @type {string[]} */
  const lines = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
