import type { HostRequest } from '../types/document-server.js'

/** Callbacks whose outcome is known, for those who wait for one. */
export function sentCallbacks () {
  const unseen: HostRequest[] = []
  let waiting: Array<{ readonly status: number | undefined, readonly resolve: (request: HostRequest) => void }> = []

  return {
    add (request: HostRequest): void {
      if (request.method !== 'POST') return
      const first = waiting.find(({ status }) => status === undefined || status === request.body?.status)
      if (first === undefined) {
        unseen.push(request)
        return
      }
      waiting = waiting.filter(one => one !== first)
      first.resolve(request)
    },
    async next (status?: number): Promise<HostRequest> {
      const index = unseen.findIndex(({ body }) => status === undefined || status === body?.status)
      if (index !== -1) return unseen.splice(index, 1)[0]!
      return await new Promise(resolve => { waiting.push({ status, resolve }) })
    }
  }
}
