import type { SentRequest } from 'onlyoffice-emulator'
import { type State, violated } from './invariants.js'
import { type Announced, judging } from './judging.js'

export interface Observer {
  /** Acknowledged saves, oldest first. */
  readonly saves: Announced[]
  /**
   * Updates the model with requests that were answered since the last call. `joining`: the key that is being opened.
   */
  observe (joining?: string): Promise<void>
}

/** Reads the document servers' log of sent requests. */
export function observer (state: State): Observer {
  const { world, fileId, model } = state
  const servers = [...new Set(Object.values(world.documentServers))]
  const seen = new Map(servers.map(server => [server, server.sentRequests.length]))
  const texts = new Map<string, string>()
  const judge = judging(state)
  let pending: SentRequest[] = []

  return {
    saves: judge.saves,
    async observe (joining) {
      for (const server of servers) {
        // others edit a conflict copy
        pending.push(...server.sentRequests.slice(seen.get(server)).filter(({ url }) => new URL(url).searchParams.get('fileId') === fileId))
        seen.set(server, server.sentRequests.length)
      }
      const settled = pending.filter(({ answer, error }) => answer !== null || error !== undefined)
      pending = pending.filter(request => !settled.includes(request))
      for (const request of settled) {
        if (request.method === 'POST') await answered(request)
        else if (joining !== undefined && request.answer?.status === 200) model.downloaded(joining, String(request.answer.body))
      }
    }
  }

  async function answered ({ body, answer }: SentRequest): Promise<void> {
    const { key, status, url } = body as { key: string, status: number, url?: string }
    const isAccepted = JSON.stringify(answer?.body) === '{"error":0}'
    const one = model.key(key)
    if ((status === 2 || status === 6) && url !== undefined) {
      const isRefused = answer !== null && !isAccepted
      if (isRefused) judge.refused(one, status)
      else judge.saved(one, body!, await textOf(body!), isAccepted)
    } else if (status === 3) {
      if (isAccepted) judge.discarded(one)
      else judge.refused(one, status)
    } else if (status === 1 || status === 4) {
      if (!isAccepted) model.confuse(key)
      else if (one.unsettled > 0) one.unsettled--
      if (status === 4 && isAccepted && one.unsettled === 0) one.ghost = false
      // A second window of the only user looks like a new session after a crash, which sees only what was refused.
      if ((one.wasForgotten || one.refused !== 'no') && one.latest !== null && isAlone(body!)) one.doubtful = true
    }
    if (one.server.forgotten.has(key)) one.wasForgotten = true
    if (status === 2 && answer === null && one.refused !== 'known') one.refused = 'unknown'
  }

  async function textOf (fields: Announced['fields']): Promise<string> {
    const path = new URL(String(fields.url)).pathname
    const known = texts.get(path)
    if (known !== undefined) return known
    const response = await fetch(String(fields.url))
    if (response.status !== 200) violated(`a saved file cannot be fetched: ${response.status}`)
    const text = await response.text()
    texts.set(path, text)
    return text
  }
}

/** Whether the only user has just joined. */
function isAlone ({ users, actions }: NonNullable<SentRequest['body']>): boolean {
  const [joined] = (actions ?? []) as ReadonlyArray<{ readonly type: number, readonly userid: string }>
  return joined?.type === 1 && (users as readonly string[]).every(user => user === joined.userid)
}
