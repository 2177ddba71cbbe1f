import { Writable } from 'node:stream'

export interface LogRecord {
  readonly level: number
  readonly msg: string
  readonly fileId?: string
  readonly err?: { readonly message: string, readonly code: string, readonly found?: Readonly<Record<string, unknown>> }
}

export const WARN = 40

/** Everything a service logs, at its most talkative. */
export function memoryLog () {
  const lines: string[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    }
  })
  return {
    server: { logger: { level: 'trace', stream } },
    records: () => lines.map(line => JSON.parse(line) as LogRecord),
    text: () => lines.join('')
  }
}
