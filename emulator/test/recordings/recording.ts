import { readdirSync, readFileSync } from 'node:fs'

/** Origins that stand in the recordings. */
export const RECORDED = { host: 'http://127.0.0.1:18090', server: 'http://127.0.0.1:8000' } as const
export const SECRET = 'test-secret-0123456789abcdef0123456789'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type JsonObject = Record<string, Json>
export type Headers = Record<string, string>

/** What somebody did: an editor, or the tester to the document server. */
export interface ClientStep {
  kind: 'client'
  at: number
  action: string
  user?: string
  changes?: string[]
  ms?: number
  key?: string
  documentUrl?: string
  callbackUrl?: string
  /** Default: `user`. */
  userId?: string
  userName?: string
  mode?: string
  config?: JsonObject
  tokenClaims?: JsonObject | null
  signedWith?: string
}

/**
 * What the document server asked of the host, with the host's answer: after `took` milliseconds, cut off after so many
 * bytes.
 */
export interface RequestStep {
  kind: 'request'
  at: number
  method: string
  path: string
  headers: Headers
  body?: JsonObject
  headerClaims: JsonObject
  bodyClaims?: JsonObject
  answer: HostAnswer | 'connection reset'
}

export interface HostAnswer {
  took?: number
  /** 0: the connection was reset instead. */
  status: number
  headers: Headers
  body: Json
  cutAfter?: number
}

/** What the host asked of the document server, with its answer after `took` milliseconds. */
export interface CallStep {
  kind: 'command' | 'conversion' | 'storage' | 'healthcheck'
  at: number
  request: Call
  answer: { took: number, status: number, headers: Headers, body: Json }
}

export interface Call {
  method: string
  path: string
  headers: Headers
  body?: JsonObject
  headerClaims?: JsonObject
  bodyClaims?: JsonObject
  signedWith?: string
}

export interface EditorStep {
  kind: 'editor'
  at: number
  user: string
  message: JsonObject & { type: string }
}

export interface DatabaseStep {
  kind: 'database'
  at: number
  key: string
  storage: string[]
}

export type Step = ClientStep | RequestStep | CallStep | EditorStep | DatabaseStep

export interface Recording {
  name: string
  description: string
  /** Milliseconds since the epoch. The steps' `at` counts from here. */
  startedAt: number
  steps: Step[]
}

const folder = new URL('../fixtures/recordings/', import.meta.url)

export function recording (name: string): Recording {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Recording
}

export function recordingNames (): string[] {
  return readdirSync(folder).filter(file => file.endsWith('.json')).map(file => file.slice(0, -'.json'.length))
}

export function isCall (step: Step): step is CallStep {
  return 'request' in step
}

/** A reconnect that the recorded server never answered: the editor stayed outside. */
export function isUnanswered (step: Step, steps: readonly Step[]): boolean {
  return step.kind === 'client' && step.action === 'reconnect' &&
    !steps.slice(steps.indexOf(step)).some(later => later.kind === 'editor' && later.user === step.user && later.message.type === 'auth')
}

export function isRequest (step: Step): step is RequestStep {
  return step.kind === 'request'
}
