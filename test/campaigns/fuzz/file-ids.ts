import fc from 'fast-check'
import { DOCUMENTS, ELSEWHERE, NOT_DOCUMENTS } from './directory.js'
import { mostly } from './runs.js'

const known = fc.constantFrom(...Object.keys(DOCUMENTS))
const device = fc.tuple(
  fc.constantFrom('con', 'PRN', 'Aux', 'nul', 'com1', 'LPT9', 'com¹', 'CONIN$'),
  fc.constantFrom('', '.', '.txt', ' ', ' .x')
)
const step = fc.constantFrom(
  '..',
  '.',
  '...',
  '',
  'folder',
  'link',
  'uploads',
  'secret',
  'outside',
  'plain',
  '~',
  '.fastify-onlyoffice',
  '%2e%2e',
  'C:'
)
const path = fc.tuple(
  fc.constantFrom('', '/', '\\', '{{root}}/', 'file://{{root}}/', '//127.0.0.1/'),
  fc.array(step, { minLength: 1, maxLength: 5 }),
  fc.constantFrom('/', '\\', '%2f', '%5c', '∕', '／')
)
const special = fc.constantFrom(
  '\0',
  '\r\n',
  '\t',
  '\u007f',
  '\u0085',
  '\u200f',
  '\u202e',
  '\u2028',
  '\ud800',
  '\udc00',
  '\ufeff',
  '%',
  '%00',
  '%2e',
  '*',
  '?',
  '[a]',
  '{a,b}',
  '$HOME',
  '`id`',
  '::$DATA',
  '~1',
  '.docx',
  '.docx~',
  '.tmp',
  ' ',
  '.',
  '/',
  '\\',
  '__proto__',
  '\u0301',
  'ﬁ'
)

/** What a request can name, from documents to what only looks like one. */
export const fileIds: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: known },
  { weight: 2, arbitrary: fc.constantFrom(...NOT_DOCUMENTS, ...ELSEWHERE) },
  { weight: 2, arbitrary: path.map(([start, steps, separator]) => start + steps.join(separator)) },
  {
    weight: 2,
    arbitrary: fc.tuple(mostly(known, fc.string({ unit: 'binary', maxLength: 8 })), special, fc.boolean()).map((
      [name, extra, before]
    ) => before ? extra + name : name + extra)
  },
  { weight: 1, arbitrary: device.map(parts => parts.join('')) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('a', 'é', '😀', '../', '%2e'),
      fc.constantFrom(1, 63, 64, 199, 200, 201, 256, 1000, 5000)
    ).map(([text, length]) => text.repeat(Math.ceil(length / text.length)))
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) }
)

export type Encoding = 'component' | 'twice' | 'bytes' | 'form' | 'raw' | 'cut'

export const encodings: fc.Arbitrary<Encoding> = mostly(fc.constant('component'), fc.constantFrom('twice', 'bytes', 'form', 'raw', 'cut'), 3)

/** A text in a query. `raw` leaves what the parser of HTTP takes, and `cut` ends within an escape. */
export function encoded (text: string, encoding: Encoding): string {
  const component = [...text].map(character => character.isWellFormed() ? encodeURIComponent(character) : surrogate(character)).join('')
  if (encoding === 'twice') return encodeURIComponent(component)
  if (encoding === 'bytes') return [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  if (encoding === 'form') return component.replaceAll('%20', '+').replace(/%../g, escape => escape.toLowerCase())
  if (encoding === 'raw') {
    return [...text].map(character =>
      /[!"$'-*,-~]/.test(character) && !/[ &#%+]/.test(character) ? character : encoded(character, 'component')
    ).join('')
  }
  if (encoding === 'cut') return `${component}%${component.length % 2 ? 'f' : 'ff'}`
  return component
}

/** As an encoder would write it that knows no better: three bytes that are not UTF-8. */
function surrogate (character: string): string {
  const code = character.charCodeAt(0)
  return [0xe0 | code >> 12, 0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f)].map(byte => `%${byte.toString(16)}`).join('')
}
