import type { HostRequest } from '../../types/document-server.js'
import type { RequestLog } from './limits.js'

interface Waiting {
  readonly isWanted: (request: HostRequest) => boolean
  readonly resolve: (request: HostRequest) => void
}

interface NextOptions {
  /** Of this document only. */
  readonly key?: string | undefined
  /** Ends the waiting; rejects with its reason. What comes later is for others. */
  readonly signal?: AbortSignal
}

/** Callbacks whose outcome is known, for those who wait for one. */
export function sentCallbacks (log: RequestLog) {
  const unseen: HostRequest[] = []
  let waiting: Waiting[] = []

  return {
    add (request: HostRequest): void {
      if (request.method !== 'POST') return
      const first = waiting.find(({ isWanted }) => isWanted(request))
      if (first === undefined) {
        unseen.push(request)
        log.trim(unseen)
        return
      }
      waiting = waiting.filter(one => one !== first)
      first.resolve(request)
    },
    async next (status?: number, { key, signal }: NextOptions = {}): Promise<HostRequest> {
      const isWanted = ({ body }: HostRequest) => (status === undefined || status === body?.status) && (key === undefined || key === body?.key)
      const index = unseen.findIndex(isWanted)
      if (index !== -1) return unseen.splice(index, 1)[0]!
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
