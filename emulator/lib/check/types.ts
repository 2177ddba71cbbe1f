import type { DocumentServerOptions } from '../../types/document-server.js'
import type { Trial } from './trial.js'

/** One rule of the protocol, and how a host is examined for it. */
export interface Scenario {
  /** In kebab-case; unique. */
  readonly id: string
  readonly title: string
  /** The anchor of a section of the protocol page, and the beginning of a statement in it. */
  readonly source: readonly [heading: string, statement: string]
  /** `must`: otherwise data is lost, or strangers get in. `should`: a failure is a warning. */
  readonly severity: 'must' | 'should'
  /** What the author of the host can do, in one sentence. */
  readonly remedy: string
  /** Rejects with a `Failure` or a `Skip`. */
  run (trial: Trial): Promise<void>
}

const ruleOf = (severity: Scenario['severity']) => (
  id: string,
  title: string,
  source: Scenario['source'],
  remedy: string,
  run: Scenario['run']
): Scenario => ({ id, title, source, severity, remedy, run })

export const must = ruleOf('must')
export const should = ruleOf('should')

/**
 * A host's words end in the log of a CI or a terminal: no tokens, queries and control characters. Cut, because a host
 * can say much.
 */
function printable (text: string): string {
  return text.slice(0, 1000)
    .replace(/\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '<token>').replace(/(https?:[^\s"?]*)\?[^\s"]*/g, '$1')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** The host behaved differently. */
export class Failure extends Error {
  readonly expected: string
  readonly seen: string

  constructor (expected: string, seen: string) {
    super(`${printable(expected)} was expected`)
    this.expected = printable(expected)
    this.seen = printable(seen)
  }
}

/** The scenario does not apply to this host. */
export class Skip extends Error {}

/** The host can't be examined at all. */
export class NotCheckable extends Error {
  constructor (message: string) {
    super(printable(message))
  }
}

export interface CheckOptions {
  /** A GET returns the editor configuration. `{n}` stands for the number of a document. */
  readonly configUrl: string
  /** A GET returns the stored bytes of the same document. */
  readonly contentUrl: string
  /** Sent to both URLs. */
  readonly headers: Readonly<Record<string, string>>
  /** The first signs. */
  readonly secrets: readonly string[]
  readonly server: Omit<DocumentServerOptions, 'jwtSecret'>
  /** Ids of the scenarios to run; empty for all. */
  readonly only: readonly string[]
}

export interface Outcome extends Omit<Scenario, 'run' | 'source'> {
  /** The URL of the section of the protocol page. */
  readonly source: string
  readonly statement: string
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly expected?: string
  readonly seen?: string
  /** Why it was skipped. */
  readonly reason?: string
}
