// Who connects to whom, at which address.
import { arrow, box, svg, text, widthOf } from './svg.js'

/** @import { Addresses } from '../scenes/networks.js' */

const WIDTH = 520
const BOX = { width: 150, height: 42 }
const BROWSER = { x: 185, y: 22, ...BOX, label: 'browser' }
const APPLICATION = { x: 20, y: 196, ...BOX, label: 'application' }
const SERVER = { x: 350, y: 196, ...BOX, label: 'document server' }

/** @param {{ title: string, addresses: Addresses }} diagram */
export function network ({ title, addresses }) {
  const { page, editorApiUrl, publicBaseUrl, internalUrl } = addresses
  const { origin, pathname } = new URL(editorApiUrl)
  const [left, right, middle] = [middleOf(APPLICATION), middleOf(SERVER), WIDTH / 2]
  const [top, bottom] = [APPLICATION.y, APPLICATION.y + BOX.height]
  const content = [
    line(BROWSER.x, 43, left, 43),
    arrow({ x: left, y: 43 }, { x: left, y: top - 3 }),
    ...label(left, 108, ['the page’s address', page]),
    line(BROWSER.x + BOX.width, 43, right, 43),
    arrow({ x: right, y: 43 }, { x: right, y: top - 3 }),
    ...label(right, 96, ['editorApiUrl', origin, pathname.replace(/^(\/[^/]+).*(\/[^/]+)$/, '$1/…$2')]),
    arrow({ x: SERVER.x, y: 222 }, { x: APPLICATION.x + BOX.width + 3, y: 222 }),
    ...label(middle, 190, ['publicBaseUrl', publicBaseUrl]),
    line(left, bottom, left, bottom + 34),
    line(left, bottom + 34, right, bottom + 34),
    arrow({ x: right, y: bottom + 34 }, { x: right, y: bottom + 3 }),
    ...label(middle, bottom + 60, ['documentServer.internalUrl', internalUrl]),
    ...[BROWSER, APPLICATION, SERVER].map(box)
  ]
  return svg({ width: WIDTH, height: bottom + 98, title, description: describe(addresses), content })
}

/** @param {Addresses} addresses */
function describe ({ page, editorApiUrl, publicBaseUrl, internalUrl }) {
  return [
    `The browser reaches the application at the address of the page, ${page}`,
    `and the document server at editorApiUrl, ${editorApiUrl}.`,
    `The document server reaches the application at publicBaseUrl, ${publicBaseUrl}.`,
    `The application reaches the document server at documentServer.internalUrl, ${internalUrl}.`
  ].join(' ')
}

/** @param {{ x: number, width: number }} box */
function middleOf ({ x, width }) {
  return x + width / 2
}

/**
 * The name of an option, and below it what it is set to. It hides the line that it is on.
 * @param {number} x
 * @param {number} y
 * @param {[name: string, ...value: string[]]} lines
 */
function label (x, y, [name, ...value]) {
  const width = Math.max(widthOf(name, 'strong'), ...value.map(part => widthOf(part, 'code')))
  return [
    `<rect class="ground" x="${x - width / 2}" y="${y - 18}" width="${width}" height="${26 + value.length * 16}"/>`,
    text({ x, y, text: name, kind: 'strong', anchor: 'middle' }),
    ...value.map((part, index) => text({ x, y: y + 18 + index * 16, text: part, kind: 'code', anchor: 'middle' }))
  ]
}

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 */
function line (x1, y1, x2, y2) {
  return `<line class="arrow" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
}
