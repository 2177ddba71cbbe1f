import { COMMAND_CODE } from '../document-server/commands.js'
import { CommandFailedError } from '../errors.js'
import { lastSaveOf, liveSessions } from '../sessions/record.js'
import type { RecordOfFile, SessionServices } from '../sessions/record-store.js'
import { regularly } from '../util/limits.js'
import { limitConcurrency } from '../util/queue.js'

/** A command may wait until the application has answered a callback. */
const AT_ONCE = 4

/**
 * Expected: nothing was typed since the last save, a save of it is under way, it could not be assembled, or nobody
 * edits any more. Source: emulator/docs/document-server-protocol.md#forcesave
 */
const NOTHING_TO_DO: ReadonlySet<number | undefined> = new Set([
  COMMAND_CODE.nothingToSave, COMMAND_CODE.internal, COMMAND_CODE.unknownKey
])

/**
 * Implements the option `saveEvery`: asks the document server to save every document that is being edited. The
 * callbacks are handled as usual. If nothing was typed since the last save, or another instance asked first, the
 * document server makes no new save; so instances need not agree who asks.
 */
export function createRegularSaves (
  { recordStore, commands, keys, log, shutdown: { closing }, settings: { clock, saveEvery } }: SessionServices
) {
  return { saveRegularly }

  async function saveRegularly (): Promise<void> {
    if (saveEvery === undefined) return
    await regularly(saveEvery, closing, async () => {
      await saveAll(saveEvery).catch(err => {
        if (!closing.aborted) log.warn({ err }, 'documents that are being edited could not be saved')
      })
    })
  }

  async function saveAll (interval: number): Promise<void> {
    const due: string[] = []
    for await (const edited of recordStore.readEdited()) due.push(...keysDue(edited, interval))
    const inTurn = limitConcurrency({ concurrency: AT_ONCE })
    const saved = await Promise.allSettled(due.map(async key => await inTurn(async () => await save(key))))
    for (const result of saved) if (result.status === 'rejected') throw result.reason
  }

  /** Keys of the sessions of a file that nobody has saved for half of the interval. */
  function keysDue ({ fileId, record }: RecordOfFile, interval: number): string[] {
    const isDue = (key: string) => clock.now() - (lastSaveOf(record, key)?.storedAt ?? -Infinity) >= interval / 2
    return liveSessions(record).map(({ key }) => key)
      .filter(key => !keys.isForAnotherServer(fileId, key) && isDue(key))
  }

  async function save (key: string): Promise<void> {
    try {
      await commands.send({ c: 'forcesave', key }, { signal: closing })
    } catch (error) {
      if (!(error instanceof CommandFailedError && NOTHING_TO_DO.has(error.serverCode))) throw error
    }
  }
}
