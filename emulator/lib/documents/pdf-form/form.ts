import { type Dictionary, Name, nameOf, type Objects, objectsOf, Reference, type Value, written } from './syntax.js'
import { type Editable, type FieldOperation, type FormField, refuseText } from '../types.js'

// Source: ISO 32000-1, 12.7 (interactive forms), 7.5.6 (incremental updates)

const MULTILINE = 1 << 12
const RADIO = 1 << 15
const PUSH_BUTTON = 1 << 16
const MAX_FIELDS = 2000
const MAX_CHARACTERS = 10_000
const INHERITED = ['FT', 'Ff', 'V', 'Opt', 'TU']
/** Of a cross-reference stream. */
const OF_STREAM = ['Type', 'W', 'Index', 'Filter', 'DecodeParms', 'Length', 'XRefStm']

interface Field {
  readonly number: number
  readonly shown: FormField
  /** Object numbers of what the page shows: often the field itself. */
  readonly widgets: readonly number[]
}

/** A PDF form whose fields can be filled in; `null` if it has none, or is encrypted. */
export function pdfForm (file: Uint8Array): Editable | null {
  const objects = objectsOf(file)
  const { values, trailer } = objects
  if (trailer.has('Encrypt')) return null
  const at = (value: Value | undefined): Value | undefined =>
    value instanceof Reference ? values.get(value.number)?.value : value
  const dictionary = (value: Value | undefined): Dictionary => {
    const found = at(value)
    return found instanceof Map ? found : new Map()
  }
  const list = (value: Value | undefined): Value[] => {
    const found = at(value)
    return Array.isArray(found) ? found : []
  }

  const fields: Field[] = []
  const seen = new Set<number>()
  collect(list(dictionary(dictionary(trailer.get('Root')).get('AcroForm')).get('Fields')), '', new Map())
  if (fields.length === 0) return null
  const filled = new Map<string, FormField['value']>()
  const shown = () => fields.map(({ shown }) => ({ ...shown, value: filled.get(shown.key) ?? shown.value }))

  return {
    view: () => ({ kind: 'form', fields: shown() }),
    apply (operation) {
      if (operation.op !== 'field') return null
      const { field: key, value } = operation
      const field = shown().find(field => field.key === key)
      if (field === undefined || field.value === value || !isPossible(field, value)) return null
      filled.set(key, value)
      return operation
    },
    formData: () => shown().map(({ key, type, value }) => ({ key, tag: '', value, type })),
    replaceText: refuseText,
    withoutFields: () => updated(file, objects, withoutFields()),
    bytes: () => filled.size === 0 ? file : updated(file, objects, changedObjects())
  }

  function collect (references: readonly Value[], parent: string, inherited: Dictionary): void {
    for (const reference of references) {
      if (!(reference instanceof Reference) || seen.has(reference.number) || fields.length === MAX_FIELDS) continue
      seen.add(reference.number)
      const own = dictionary(reference)
      const all: Dictionary = new Map([...inherited, ...own])
      const key = [parent, textOf(at(own.get('T')))].filter(Boolean).join('.')
      const kids = list(own.get('Kids'))
      if (kids.some(kid => dictionary(kid).has('T'))) {
        collect(kids, key, new Map([...all].filter(([name]) => INHERITED.includes(name))))
        continue
      }
      const numbers = kids.flatMap(kid => kid instanceof Reference ? [kid.number] : [])
      const widgets = numbers.length > 0 ? numbers : [reference.number]
      const facts = factsOf(all, widgets)
      if (facts) fields.push({ number: reference.number, widgets, shown: { key, label: textOf(at(all.get('TU'))) || key, ...facts } })
    }
  }

  function factsOf (field: Dictionary, widgets: readonly number[]): Omit<FormField, 'key' | 'label'> | undefined {
    const flags = Number(at(field.get('Ff')) ?? 0)
    const value = at(field.get('V'))
    switch (nameOf(at(field.get('FT')))) {
      case 'Tx': return { type: 'text', value: textOf(value), ...((flags & MULTILINE) !== 0 && { multiline: true }) }
      case 'Ch': {
        const options = list(field.get('Opt')).map(option => textOf(at(list(option)[0] ?? option)))
        return { type: 'comboBox', value: textOf(value), options }
      }
      case 'Btn':
        if ((flags & PUSH_BUTTON) !== 0) return undefined
        return (flags & RADIO) === 0
          ? { type: 'checkBox', value: ![undefined, 'Off'].includes(nameOf(value)) }
          : { type: 'radio', value: nameOf(value)?.replace(/^Off$/, '') ?? '', options: widgets.map(onState) }
    }
    return undefined
  }

  /** The name of the appearance of a button that is on. */
  function onState (widget: number): string {
    const appearances = dictionary(dictionary(dictionary(new Reference(widget, 0)).get('AP')).get('N'))
    return [...appearances.keys()].find(name => name !== 'Off') ?? 'Yes'
  }

  function changes () {
    const changed = new Map<number, Dictionary>()
    const change = (number: number): Dictionary => {
      const copy = changed.get(number) ?? new Map(dictionary(new Reference(number, 0)))
      changed.set(number, copy)
      return copy
    }
    return { changed, change }
  }

  function withoutFields (): ReadonlyMap<number, Dictionary> {
    const { changed, change } = changes()
    const shownBy = new Set(fields.flatMap(({ widgets }) => widgets))
    const isField = (annotation: Value) => annotation instanceof Reference && shownBy.has(annotation.number)
    for (const [number, { value }] of values) {
      if (!(value instanceof Map)) continue
      const annotations = list(value.get('Annots'))
      if (annotations.some(isField)) change(number).set('Annots', annotations.filter(one => !isField(one)))
    }
    change((trailer.get('Root') as Reference).number).delete('AcroForm')
    return changed
  }

  function changedObjects (): ReadonlyMap<number, Dictionary> {
    const { changed, change } = changes()
    for (const { number, widgets, shown: { key, type } } of fields) {
      const value = filled.get(key)
      if (value === undefined) continue
      const isButton = type === 'checkBox' || type === 'radio'
      const state = value === true ? onState(widgets[0]!) : value === false || value === '' ? 'Off' : value
      change(number).set('V', isButton ? new Name(state) : stringOf(String(value)))
      for (const widget of widgets) {
        if (!isButton) change(widget).delete('AP') // readers make it anew
        else change(widget).set('AS', new Name(onState(widget) === state || type === 'checkBox' ? state : 'Off'))
      }
    }
    const root = trailer.get('Root') as Reference
    const form = dictionary(root).get('AcroForm')
    if (form instanceof Reference) change(form.number).set('NeedAppearances', true)
    else change(root.number).set('AcroForm', new Map(dictionary(form)).set('NeedAppearances', true))
    return changed
  }
}

function isPossible ({ type, options }: FormField, value: FieldOperation['value']): boolean {
  if (type === 'checkBox') return typeof value === 'boolean'
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return false
  return type === 'text' || value === '' || options!.includes(value)
}

function textOf (value: Value | undefined): string {
  if (!Buffer.isBuffer(value)) return ''
  return value[0] === 0xFE && value[1] === 0xFF
    ? new TextDecoder('utf-16be').decode(value)
    : value.toString('latin1')
}

function stringOf (text: string): Buffer {
  return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
}

/** The file with an update at its end. */
function updated (file: Uint8Array, { values, trailer }: Objects, changed: ReadonlyMap<number, Dictionary>): Buffer {
  const before = Buffer.from(file)
  const start = /startxref\s+(\d+)\D*$/.exec(before.subarray(-1024).toString('latin1'))?.[1] ?? '0'
  let size = before.length
  const parts: string[] = []
  const table: string[] = []
  const add = (part: string) => { parts.push(part); size += part.length }
  add('\n')
  for (const [number, value] of changed) {
    const { generation } = values.get(number)!
    table.push(`${number} 1\n${String(size).padStart(10, '0')} ${String(generation).padStart(5, '0')} n \n`)
    add(`${number} ${generation} obj\n${written(value)}\nendobj\n`)
  }
  const rest: Dictionary = new Map([...trailer].filter(([name]) => !OF_STREAM.includes(name)))
  rest.set('Prev', Number(start))
  parts.push(`xref\n${table.join('')}trailer\n${written(rest)}\nstartxref\n${size}\n%%EOF\n`)
  return Buffer.concat([before, Buffer.from(parts.join(''), 'latin1')])
}
