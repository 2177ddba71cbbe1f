/** A tag in XML text. `name` has no prefix. */
interface Tag {
  readonly type: 'start' | 'end' | 'empty'
  readonly name: string
  readonly from: number
  readonly to: number
}

/** An element in XML text, with its position. */
export interface Markup {
  readonly name: string
  /** The start tag as written. */
  readonly tag: string
  readonly content: string
  readonly from: number
  readonly to: number
  /** Where the content begins. */
  readonly contentFrom: number
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const DATA = '<![CDATA['
const BLANK = /[\s/]/

/**
 * The tags of XML text, one after the other. It builds no tree, so that everything unedited keeps its bytes. Throws a
 * `TypeError` for unclosed markup and for document types.
 */
function * tags (xml: string): Generator<Tag> {
  for (let from = xml.indexOf('<'), to = 0; from !== -1; from = xml.indexOf('<', to)) {
    const next = xml[from + 1]
    to = endOfMarkup(xml, from)
    if (next !== '?' && next !== '!') {
      const type = next === '/' ? 'end' : xml[to - 2] === '/' ? 'empty' : 'start'
      let start = type === 'end' ? from + 2 : from + 1
      let end = start
      for (; end < to - 1 && !BLANK.test(xml[end]!); end++) if (xml[end] === ':') start = end + 1
      yield { type, name: xml.slice(start, end), from, to }
    }
  }
}

/** The end of a tag, comment or similar markup. */
function endOfMarkup (xml: string, from: number): number {
  if (xml[from + 1] === '?') return endOf(xml, '?>', from)
  if (xml.startsWith('<!--', from)) return endOf(xml, '-->', from + 4)
  if (xml.startsWith(DATA, from)) return endOf(xml, ']]>', from)
  if (xml[from + 1] === '!') throw new TypeError('Document types are not allowed')
  return endOfTag(xml, from)
}

function endOf (xml: string, mark: string, from: number): number {
  const index = xml.indexOf(mark, from)
  if (index === -1) throw new TypeError(`${mark} is missing`)
  return index + mark.length
}

/** A `>` in an attribute does not end a tag. */
function endOfTag (xml: string, from: number): number {
  const mark = /["'>]/g
  mark.lastIndex = from
  for (let found = mark.exec(xml); found !== null; found = mark.exec(xml)) {
    if (found[0] === '>') return mark.lastIndex
    mark.lastIndex = endOf(xml, found[0], mark.lastIndex)
  }
  throw new TypeError('A tag is not closed')
}

/** The outermost elements with these names, in order. */
export function * elements (xml: string, ...names: readonly string[]): Generator<Markup> {
  let open: Tag | null = null
  let depth = 0
  for (const tag of tags(xml)) {
    if (open === null) {
      if (!names.includes(tag.name) || tag.type === 'end') continue
      if (tag.type === 'empty') {
        yield {
          name: tag.name,
          tag: xml.slice(tag.from, tag.to),
          content: '',
          from: tag.from,
          to: tag.to,
          contentFrom: tag.to
        }
      } else [open, depth] = [tag, 1]
    } else if (tag.name === open.name && tag.type !== 'empty') {
      depth += tag.type === 'start' ? 1 : -1
      if (depth > 0) continue
      yield {
        name: open.name,
        tag: xml.slice(open.from, open.to),
        content: xml.slice(open.to, tag.from),
        from: open.from,
        to: tag.to,
        contentFrom: open.to
      }
      open = null
    }
  }
  if (open !== null) throw new TypeError(`<${open.name}> is not closed`)
}

export function firstElement (xml: string, name: string): Markup | undefined {
  const [first] = elements(xml, name)
  return first
}

/** An attribute of a start tag, by its local name. */
export function attributeOf (tag: string, name: string): string | undefined {
  for (const [, key, double, single] of tag.matchAll(/(?<=[\s"'])([^\s="'<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (key!.slice(key!.indexOf(':') + 1) === name) return unescaped(double ?? single ?? '')
  }
  return undefined
}

export function isTrue (value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** The start tag with an attribute set or removed. */
export function withAttribute (tag: string, name: string, value: string | undefined): string {
  const bare = tag.replace(new RegExp(`\\s${name}\\s*=\\s*(?:"[^"]*"|'[^']*')`), '')
  return value === undefined
    ? bare
    : `${withoutEnd(bare)} ${name}="${escaped(value)}"${bare.endsWith('/>') ? '/>' : '>'}`
}

/** The start tag without its `>` or `/>`. */
export function withoutEnd (tag: string): string {
  return tag.slice(0, tag.endsWith('/>') ? -2 : -1).trimEnd()
}

/** The prefix of a tag: `x:` for `<x:worksheet …>`. */
export function prefixOf (tag: string): string {
  return /^<([^\s/>:]+:)/.exec(tag)?.[1] ?? ''
}

/** The text of an element, without that of its child elements. */
export function textOf (content: string): string {
  let text = ''
  let at = 0
  for (let from = content.indexOf('<'); from !== -1; from = content.indexOf('<', at)) {
    text += unescaped(content.slice(at, from))
    const isData = content.startsWith(DATA, from)
    at = endOfMarkup(content, from)
    if (isData) text += content.slice(from + DATA.length, at - 3)
  }
  return text + unescaped(content.slice(at))
}

export function escaped (text: string): string {
  return text.replace(/[&<>"]/g, character => `&${Object.keys(ENTITIES).find(name => ENTITIES[name] === character)};`)
}

function unescaped (text: string): string {
  if (!text.includes('&')) return text.replaceAll('\r\n', '\n')
  return text.replaceAll('\r\n', '\n').replace(/&(#x[0-9a-f]+|#[0-9]+|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10FFFF ? String.fromCodePoint(code) : whole
  })
}
