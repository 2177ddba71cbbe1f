import type { HostRequest } from '../../../lib/testing/index.js'
import { type State, violated } from './invariants.js'

/** A save that was acknowledged, as it was announced. */
export interface Announced {
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
}

export interface Observer {
  /** Saves that were acknowledged, oldest first. */
  readonly saves: Announced[]
  /** Tells the model what the document server has sent and been answered since. `joining` is the key that is being opened. */
  observe (joining?: string): Promise<void>
}

/** Reads the log of the document server's requests. */
export function observer (state: State): Observer {
  const { world, fileId, model } = state
  const { requests } = world.documentServer
  const texts = new Map<string, string>()
  const saves: Announced[] = []
  let seen = requests.length

  return {
    saves,
    async observe (joining) {
      const unanswered: HostRequest[] = []
      while (seen < requests.length) {
        const request = requests[seen++]!
        if (new URL(request.url).searchParams.get('fileId') !== fileId) continue // somebody edits a conflict copy
        if (request.method === 'GET') {
          if (joining !== undefined && request.answer?.status === 200) model.downloaded(joining, world.clock.now())
        } else if (request.answer === null) {
          unanswered.push(request)
        } else {
          await answered(request)
        }
      }
      for (const request of unanswered) await maybeStored(request)
    }
  }

  async function answered ({ body, answer }: HostRequest): Promise<void> {
    const { key, status, url } = body as { key: string, status: number, url?: string }
    const isAccepted = JSON.stringify(answer!.body) === '{"error":0}'
    const one = model.key(key)
    if ((status === 2 || status === 6) && url !== undefined) {
      if (isAccepted) return await acknowledge(body!)
      if (status === 2) one.wasRefused = true
    } else if (status === 3) {
      if (isAccepted) model.discarded(key, world.clock.now())
      else one.wasRefused = true
    } else if (status === 4 && isAccepted) {
      one.ghost = false
    }
  }

  async function acknowledge (fields: Announced['fields']): Promise<void> {
    const text = await textOf(fields)
    const { key, status } = fields as { key: string, status: number }
    const outcome = model.acknowledged({ key, status, id: idOf(fields), text, at: world.clock.now() }, await world.textOf(fileId))
    if (outcome === 'stored' || outcome === 'beside') saves.push({ fields, text })
    // An instance that died in between has told nobody.
    if (outcome === 'beside' && state.spareCopies === 0 && !world.saved.some(event => event.key === key && event.conflict === true && event.conflictFileId !== undefined)) {
      violated(`nobody was told that a save of ${key} became a conflict copy`)
    }
  }

  /** The connection was lost before the answer: what is stored tells. */
  async function maybeStored ({ body }: HostRequest): Promise<void> {
    if (body?.status !== 2 && body?.status !== 6) return
    const text = texts.get(idOf(body)) ?? model.key(String(body.key)).text
    const places = await Promise.all([fileId, ...world.createdFiles()].map(async id => await world.textOf(id)))
    const actual = places[0] ?? null
    if (places.includes(text) && text !== model.main.text) model.acknowledged({ key: String(body.key), status: body.status, id: idOf(body), text, at: world.clock.now() }, actual)
  }

  async function textOf (fields: Announced['fields']): Promise<string> {
    const id = idOf(fields)
    const known = texts.get(id)
    if (known !== undefined) return known
    const response = await fetch(String(fields.url))
    if (response.status !== 200) violated(`a save was acknowledged whose file nobody can fetch: ${response.status}`)
    const text = await response.text()
    texts.set(id, text)
    return text
  }
}

/** What stays the same when a save is announced again. */
function idOf ({ url, lastsave }: Announced['fields']): string {
  return `${new URL(String(url)).pathname} ${String(lastsave)}`
}
