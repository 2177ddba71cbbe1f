import { readFile } from 'node:fs/promises'
import ts from 'typescript'

export const PAGE = new URL('../../../docs/document-server-protocol.md', import.meta.url)

export interface Row {
  /** By the column's name. */
  readonly cells: Readonly<Record<string, string>>
  /** As it stands on the page. */
  readonly line: string
  /** The first cell. */
  readonly statement: string
}

interface Heading {
  readonly level: number
  readonly title: string
  /** Of the heading on GitHub. */
  readonly anchor: string
}

interface Page {
  readonly text: string
  readonly rows: readonly Row[]
  readonly headings: readonly Heading[]
  /** Addresses by their labels: `[label]: address`. */
  readonly definitions: ReadonlyMap<string, string>
}

export async function readPage (): Promise<Page> {
  const text = await readFile(PAGE, 'utf8')
  const lines = withoutExamples(text).split('\n')
  return {
    text,
    rows: rowsIn(lines),
    headings: lines.flatMap(line => {
      const [, marks, title] = /^(#+) (.+)$/.exec(line) ?? []
      return title === undefined ? [] : [{ level: marks!.length, title, anchor: anchorOf(title) }]
    }),
    definitions: new Map(lines.flatMap(line => {
      const [, label, address] = /^\[([^\]]+)\]: (\S+)$/.exec(line) ?? []
      return address === undefined ? [] : [[label!, address] as const]
    }))
  }
}

/** Titles of the tests in a TypeScript source, as they are written: with `${…}` where a template has a value. */
export function titlesIn (source: string): string[] {
  const titles: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'test') {
      const [title] = node.arguments
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText().slice(1, -1))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true))
  return titles
}

/** Labels of links in a text, `[like this]`, outside of code. */
export function labelsIn (text: string): string[] {
  return Array.from(withoutCode(text).matchAll(/\[([^\][]+)\](?![(:])/g), ([, label]) => label!)
}

/** Addresses of links in a text, `[like](this)`, outside of code. */
export function addressesIn (text: string): string[] {
  return Array.from(withoutCode(text).matchAll(/\]\(([^)]+)\)/g), ([, address]) => address!)
}

function rowsIn (lines: readonly string[]): Row[] {
  let columns: string[] = []
  return lines.flatMap((line, index) => {
    if (!line.startsWith('|') || line.startsWith('|--')) return []
    const cells = line.slice(2, -2).split(' | ')
    if (lines[index + 1]?.startsWith('|--') === true) {
      columns = cells
      return []
    }
    const named = cells.length === columns.length ? cells.map((cell, column) => [columns[column]!, cell] as const) : []
    return [{ line, statement: cells[0]!, cells: Object.fromEntries(named) }]
  })
}

function anchorOf (title: string): string {
  return title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
}

function withoutExamples (text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '')
}

function withoutCode (text: string): string {
  return withoutExamples(text).replaceAll(/`[^`\n]*`/g, '')
}
