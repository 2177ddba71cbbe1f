import { inflateSync } from 'node:zlib'

// Source: ISO 32000-1, 7.3 (objects), 7.5.5 (trailer), 7.5.7 (object streams), 7.5.8 (cross-reference streams)

export class Name {
  readonly name: string
  constructor (name: string) { this.name = name }
}

export class Reference {
  readonly number: number
  readonly generation: number
  constructor (number: number, generation: number) {
    this.number = number
    this.generation = generation
  }
}

/** A string is its bytes. */
export type Value = number | boolean | null | Name | Reference | Buffer | Value[] | Dictionary
export type Dictionary = Map<string, Value>

/** The objects of a PDF file by number, and its trailer. Those of an update replace the earlier ones. */
export type Objects = ReturnType<typeof objectsOf>

const SPACE = /(?:[\0\t\n\f\r ]+|%[^\n\r]*)*/y
const WORD = /[^\0\t\n\f\r ()<>[\]{}/%]+/y
const REST_OF_REFERENCE = /[\0\t\n\f\r ]+(\d+)[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/y
const HEX = /<([\da-f\0\t\n\f\r ]*)>/iy
const OBJECT = /(?<!\d)(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+obj\b|\btrailer\b/g
const STREAM = /[\0\t\n\f\r ]*stream\r?\n/y
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const MAX_DEPTH = 50
const MAX_READINGS = 4
const MAX_UNPACKED_BYTES = 64 * 1024 ** 2

/** Reads one value of a text. Throws a `SyntaxError`. */
class Parser {
  readonly source: string
  at: number

  constructor (source: string, at: number) {
    this.source = source
    this.at = at
  }

  match (pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    this.at += found?.[0].length ?? 0
    return found
  }

  /** Finds a pattern from here on. */
  next (pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    this.at = pattern.lastIndex
    return found
  }

  value (depth = 0): Value {
    if (depth > MAX_DEPTH) throw new SyntaxError('Too deep')
    this.match(SPACE)
    if (this.source.startsWith('<<', this.at)) {
      const entries = this.until('>>', 2, depth)
      return new Map(entries.flatMap((key, index) =>
        index % 2 === 0 && key instanceof Name ? [[key.name, entries[index + 1] ?? null]] : []))
    }
    switch (this.source[this.at]) {
      case '[': return this.until(']', 1, depth)
      case '(': return this.string()
      case '<': {
        const hex = this.match(HEX)?.[1]
        if (hex === undefined) throw new SyntaxError('A string without end')
        return Buffer.from(hex.replace(/[^\da-f]/gi, ''), 'hex')
      }
      case '/':
        this.at++
        return new Name((this.match(WORD)?.[0] ?? '').replace(/#([\da-f]{2})/gi, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16))))
    }
    const word = this.match(WORD)?.[0] ?? ''
    const generation = /^\d+$/.test(word) && this.match(REST_OF_REFERENCE)?.[1]
    if (generation) return new Reference(Number(word), Number(generation))
    if (word === 'true' || word === 'false') return word === 'true'
    if (word === 'null') return null
    if (word === '' || Number.isNaN(Number(word))) throw new SyntaxError('No value')
    return Number(word)
  }

  until (end: string, opening: number, depth: number): Value[] {
    this.at += opening
    const values: Value[] = []
    for (;;) {
      this.match(SPACE)
      if (this.source.startsWith(end, this.at)) break
      values.push(this.value(depth + 1))
    }
    this.at += end.length
    return values
  }

  string (): Buffer {
    let text = ''
    let open = 0
    do {
      const character = this.source[this.at++]
      if (character === undefined) throw new SyntaxError('A string without end')
      if (character === '(' && open++ === 0) continue
      if (character === ')' && --open === 0) break
      if (character !== '\\') {
        text += character
        continue
      }
      const [escape] = this.match(/[0-7]{1,3}|\r\n|[^]/y) ?? ['']
      if (/^[0-7]/.test(escape)) text += String.fromCharCode(Number.parseInt(escape, 8) & 0xFF)
      else if (!/[\r\n]/.test(escape)) text += ESCAPED[escape] ?? escape
    } while (open > 0)
    return Buffer.from(text, 'latin1')
  }
}

/** Reads all objects of a file, wherever they are, and those in compressed streams. */
export function objectsOf (file: Uint8Array) {
  const source = Buffer.from(file).toString('latin1')
  const values = new Map<number, { generation: number, value: Value }>()
  let trailer: Dictionary = new Map()
  let unpackedBytes = 0
  /** What is in an object is not read again, unless it is damaged. */
  let charactersLeft = MAX_READINGS * source.length
  const scanner = new Parser(source, 0)
  for (let found; (found = scanner.next(OBJECT)) && charactersLeft > 0;) {
    const [, number, generation] = found
    const start = scanner.at
    const parser = new Parser(source, start)
    try {
      const value = parser.value()
      scanner.at = parser.at
      if (number !== undefined) values.set(Number(number), { generation: Number(generation), value })
      if (!(value instanceof Map)) continue
      const type = nameOf(value.get('Type'))
      if ((number === undefined || type === 'XRef') && value.has('Root')) trailer = new Map([...trailer, ...value])
      if (type === 'ObjStm' && parser.match(STREAM)) {
        const text = unpacked(source, parser.at, value)
        unpackedBytes += text.length
        if (unpackedBytes > MAX_UNPACKED_BYTES) break
        for (const [packed, object] of packedObjects(text, value)) values.set(packed, { generation: 0, value: object })
      }
    } catch { // something else in a stream, or damaged
    } finally {
      charactersLeft -= parser.at - start
    }
  }
  return { values, trailer }
}

function unpacked (source: string, at: number, stream: Dictionary): string {
  if (nameOf(stream.get('Filter')) !== 'FlateDecode' || stream.has('DecodeParms')) return ''
  const length = stream.get('Length')
  const end = typeof length === 'number' ? at + length : source.indexOf('endstream', at)
  const packed = Buffer.from(source.slice(at, end), 'latin1')
  return inflateSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('latin1')
}

function packedObjects (text: string, stream: Dictionary): Array<[number: number, value: Value]> {
  const first = Number(stream.get('First'))
  const numbers = text.slice(0, first).trim().split(/\s+/).map(Number)
  return numbers.flatMap((number, index) =>
    index % 2 === 0 ? [[number, new Parser(text, first + numbers[index + 1]!).value()]] : [])
}

export function nameOf (value: Value | undefined): string | undefined {
  return value instanceof Name ? value.name : undefined
}

/** Writes a value. */
export function written (value: Value): string {
  if (value instanceof Name) {
    const escaped = (character: string) => `#${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    return `/${value.name.replace(/[^\w.+-]/g, escaped)}`
  }
  if (value instanceof Reference) return `${value.number} ${value.generation} R`
  if (Buffer.isBuffer(value)) return `<${value.toString('hex')}>`
  if (Array.isArray(value)) return `[${value.map(written).join(' ')}]`
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${written(new Name(key))} ${written(item)}`)
    return `<<${entries.join(' ')}>>`
  }
  return String(value)
}
