import type { SentRequest } from '../../../types/document-server.js'
import type { RequestLimits } from './limits.js'

interface Waiting {
  readonly isWanted: (request: SentRequest) => boolean
  readonly resolve: (request: SentRequest) => void
}

interface NextOptions {
  /** Only callbacks with this document key. */
  readonly key?: string | undefined
  /** Ends the wait: `next` rejects with the signal's reason, and the callback goes to another caller. */
  readonly signal?: AbortSignal
}

/** Queues callbacks whose outcome is known for callers who wait for one. */
export function callbackQueue (log: RequestLimits) {
  const queued: SentRequest[] = []
  let waiting: Waiting[] = []

  return {
    add (request: SentRequest): void {
      if (request.method !== 'POST') return
      const first = waiting.find(({ isWanted }) => isWanted(request))
      if (first === undefined) {
        queued.push(request)
        log.trim(queued)
        return
      }
      waiting = waiting.filter(one => one !== first)
      first.resolve(request)
    },
    async next (status?: number, { key, signal }: NextOptions = {}): Promise<SentRequest> {
      const isWanted = ({ body }: SentRequest) =>
        (status === undefined || status === body?.status) && (key === undefined || key === body?.key)
      const index = queued.findIndex(isWanted)
      if (index !== -1) return queued.splice(index, 1)[0]!
      return await new Promise((resolve, reject) => {
        const entry = { isWanted, resolve }
        waiting.push(entry)
        signal?.addEventListener('abort', () => {
          waiting = waiting.filter(one => one !== entry)
          reject(signal.reason)
        }, { once: true })
      })
    }
  }
}
