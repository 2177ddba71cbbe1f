import { randomBytes } from 'node:crypto'
import { zip } from '../util/zip.js'

/** A token in a request for a probe. Neither the token nor its claims are kept. */
export interface SeenToken {
  /** Name of the header that it was in. */
  readonly header: string
  /** What precedes it there, if that is a plain word. */
  readonly prefix: string
  /** Whether the handler looks for a token in this header, after this prefix. */
  readonly isExpectedThere: boolean
  /** Why it is invalid. Absent if it is valid. */
  readonly fault?: { readonly problem: string, readonly remedy: string, readonly algorithm?: string }
  /** By the clock of the instance that saw it. Only of a token that is signed with our secret. */
  readonly issuedSecondsAgo?: number
}

/** What an instance saw of one request for a probe. */
export interface Sighting {
  readonly action: 'callback' | 'download'
  /** Whether the signature of its URL was as it was made. */
  readonly isSigned: boolean
  /** The Host header. */
  readonly host: string
  readonly tokens: readonly SeenToken[]
}

/** What an instance tells in its answer to a probe of the callback URL. */
export interface ProbeAnswer {
  readonly instance: string
  /** Size of the body that arrived. */
  readonly bytes: number
  /** What this instance has seen of the probe so far. */
  readonly sightings: readonly Sighting[]
}

/** What this process has seen of the doctor's probes. Bounded, and kept in memory for a few minutes. */
export interface Probes {
  /** Identifies this instance of the application. */
  readonly instance: string
  /** A new probe. Requests for it are noted even if their signature got lost. */
  start (): string
  note (id: string, sighting: Sighting): void
  /** Whether this process has started or seen this probe. */
  knows (id: string): boolean
  sightings (id: string): readonly Sighting[]
}

/** What is signed to prove that a hook of the application has answered a probe, and the header with this signature. */
export const ENDED_BY_HOOK = 'ended-by-hook'
export const ENDED_BY_HOOK_HEADER = 'x-editor-probe'

const PREFIX = 'fastify-onlyoffice-probe-'
const MAX_PROBES = 50
/** The document server tries a download three times. */
const MAX_SIGHTINGS = 10
const KEPT_MS = 10 * 60_000

/** Whether a fileId has the form of a probe's. Only its signature tells whether it is one. */
export function looksLikeProbe (fileId: string): boolean {
  return fileId.startsWith(PREFIX)
}

export function createProbes (): Probes {
  const kept = new Map<string, { readonly since: number, readonly sightings: Sighting[] }>()

  function entry (id: string): Sighting[] {
    const known = kept.get(id)
    if (known) return known.sightings
    for (const [oldest, { since }] of kept) {
      if (kept.size < MAX_PROBES && performance.now() - since < KEPT_MS) break
      kept.delete(oldest)
    }
    const sightings: Sighting[] = []
    kept.set(id, { since: performance.now(), sightings })
    return sightings
  }

  return {
    instance: randomBytes(9).toString('base64url'),
    start () {
      const id = PREFIX + randomBytes(12).toString('hex')
      entry(id)
      return id
    },
    note (id, sighting) {
      const sightings = entry(id)
      if (sightings.length < MAX_SIGHTINGS) sightings.push(sighting)
    },
    knows: id => kept.has(id),
    sightings: id => [...kept.get(id)?.sightings ?? []]
  }
}

/** Extension of the probe's document: every document server converts it to text. */
export const PROBE_FORMAT = 'docx'

const OOXML = 'http://schemas.openxmlformats.org'
const OFFICE = `${OOXML}/officeDocument/2006/relationships`
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** The smallest document with a text. `text` contains nothing that XML would have to escape. */
export function probeDocument (text: string): Buffer {
  const parts = {
    '[Content_Types].xml':
      `${DECLARATION}<Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels':
      `${DECLARATION}<Relationships xmlns="${OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml':
      `${DECLARATION}<w:document xmlns:w="${OOXML}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`
  }
  return zip(parts, Object.keys(parts))
}
