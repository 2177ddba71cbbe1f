/** Safe markup. */
export class Html {
  readonly text: string

  constructor (text: string) {
    this.text = text
  }
}

type Value = string | number | Html | null | undefined | readonly Value[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\'': '&#39;'
}

/** A template tag that escapes values, unless they are markup themselves. */
export function html (parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + markup(values[index])).join(''))
}

function markup (value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(markup).join('')
  return String(value ?? '').replace(/[&<>"']/g, character => ENTITIES[character]!)
}
