import { CrashedError } from '../host/client.js'
import type { SessionParts } from './parts.js'

/** Does something beside what others do with the document, instead of in its turn. A fake clock waits for it. */
export async function aside<Result> ({ documents, host, time }: SessionParts, task: () => Promise<Result>): Promise<Result> {
  return await documents.aside(time.during(async () => {
    if (host.life().aborted) throw new CrashedError()
    return await task()
  }))
}
