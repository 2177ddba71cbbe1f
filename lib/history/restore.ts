import { randomUUID } from 'node:crypto'
import type { RestoredVersion, RestoreOptions } from '../../types/history.js'
import type { StoredDocument } from '../../types/storage.js'
import { BusyError, FileNotFoundError, LockedError, NO_REASON, VersionNotFoundError } from '../errors.js'
import { madeBy } from '../save/retention.js'
import { isStored } from '../save/save-request.js'
import type { Saves } from '../save/saves.js'
import type { WhenNobodyEdits } from '../sessions/nobody-edits.js'
import { holdsOf, liveSessions } from '../sessions/record.js'
import { CHANGED, type SessionServices } from '../sessions/record-store.js'
import { versionRestored } from '../sessions/save-changes.js'
import type { StagedContent } from '../store/contract.js'
import { unlessAborted } from '../util/limits.js'
import { createQueue } from '../util/queue.js'
import { deferErrors } from '../util/streams.js'
import {
  assertOptions, HttpUrl, MAX_TIMEOUT_MS, numberFrom, rule, type Rules, Signal, stringThat
} from '../util/validate.js'
import type { Versions } from './versions.js'

export interface RestoringUser {
  readonly id: string
  readonly name: string
}

interface StagedVersion {
  readonly staged: StagedContent
  /** The new file type; absent if it stays the same. */
  readonly fileType: string | undefined
}

const DEFAULT_TIMEOUT_MS = 30_000

const rules: Rules<RestoreOptions> = {
  result: {
    url: HttpUrl,
    fileType: rule('must be an extension such as docx', stringThat(value => value !== ''))
  },
  timeout: rule(`must be a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`, numberFrom(0, MAX_TIMEOUT_MS)),
  signal: Signal
}
const requiredOfResult: ReadonlySet<string> = new Set(['result.url', 'result.fileType'])

export function createRestores (
  services: SessionServices, versions: Versions, saves: Saves, whenNobodyEdits: WhenNobodyEdits
) {
  const { settings, storage, inspected, recordStore, hooks, log, shutdown: { closing } } = services
  const running = createQueue()

  return {
    /**
     * Makes an earlier version the present one. The present content is kept as a version, as with a save. Waits until
     * nobody is editing the document, because later saves would become conflict copies. A refused save does not come
     * back by itself afterwards: recovery stores it as a copy. Nothing is stored if the present content is the same.
     */
    restore: async (...args: Parameters<typeof restore>) => await running.enter('', async () => await restore(...args)),
    /** Resolves when no version is being restored. */
    idle: running.idle
  }

  async function restore (
    fileId: string, version: number, user: RestoringUser | undefined, options: RestoreOptions = {}
  ): Promise<RestoredVersion> {
    assertOptions(rules, options, { required: requiredOfResult })
    const { result, timeout = DEFAULT_TIMEOUT_MS, signal } = options
    if (hooks.isInHookOf(fileId)) {
      throw new BusyError(
        'its callback waits for the hook that called restore(): call it after the hook has returned'
      )
    }
    const ending = signal ? AbortSignal.any([signal, closing]) : closing
    const end = performance.now() + timeout
    await whenNobodyEdits(fileId, end, timeout, ending)
    const staging = result ? stageResult(fileId, result) : stageVersion(fileId, version)
    try {
      const { staged, fileType } = await unlessAborted(staging, ending)
      const about = {
        reason: 'restore' as const,
        fileId,
        version,
        fileType: result?.fileType.toLowerCase() ?? fileType!,
        ...(user && { users: [user.id] }),
        signal: ending
      }
      return await inspected(staged, about, async content => {
        for (;;) {
          const restored = await saves.queue.enter(fileId, async turn => {
            await unlessAborted(turn, ending)
            return await publish(fileId, version, { staged: content, fileType }, user)
          })
          if (restored) return restored
          // outside the queue, in which the callbacks of the session wait
          await whenNobodyEdits(fileId, end, timeout, ending)
        }
      })
    } finally {
      // it may still be staged after an abort
      running.enter('', async () => await storage.discard((await staging).staged)).catch(() => {})
    }
  }

  async function stageVersion (fileId: string, version: number): Promise<StagedVersion> {
    const content = await versions.open(fileId, version, 'content')
    if (!content) throw new VersionNotFoundError()
    return { staged: await storage.stage(fileId, deferErrors(content.body)), fileType: content.fileType }
  }

  async function stageResult (
    fileId: string, { url, fileType }: NonNullable<RestoreOptions['result']>
  ): Promise<StagedVersion> {
    const staged = await saves.fetch(
      { url: new URL(url), fileType, storedType: fileType, namedByPage: true },
      async content => await storage.stage(fileId, content)
    )
    return { staged, fileType: settings.policies.formatChange === 'follow' ? fileType : undefined }
  }

  /** Resolves to `undefined` if somebody is editing the document: their save would become a conflict copy. */
  async function publish (
    fileId: string, version: number, { staged, fileType }: StagedVersion, user: RestoringUser | undefined
  ): Promise<RestoredVersion | undefined> {
    const made = { savedAt: new Date(settings.clock.now()).toISOString(), restored: version, ...madeBy(user) }
    return await recordStore.decide(fileId, 'a version was being restored', async snapshot => {
      const { file: current } = snapshot
      if (!current) throw new FileNotFoundError()
      const [hold] = holdsOf(snapshot.record, settings.clock.now())
      if (hold) throw new LockedError(hold.reason || NO_REASON)
      if (liveSessions(snapshot.record).length > 0) return undefined
      // After a refused save the content is stored again, because the key of the present revision leads to that save.
      const isUpToDate = versionRestored(snapshot.record) === snapshot.record &&
        (fileType ?? current.fileType) === current.fileType
      if (isUpToDate && await isStored(services, staged, current)) {
        return { version: await numberOf(fileId, current), revision: current.revision }
      }
      const options = { ...(fileType !== undefined && { fileType }), version: () => ({ made }) }
      const info = await saves.commitSave(fileId, staged, snapshot, options, { change: versionRestored })
      if (!info) return CHANGED
      log.info({ fileId, version, revision: info.revision, bytes: info.size }, 'version restored')
      const number = await numberOf(fileId, info) // before the hook, which may take long
      await hooks.call('onSaved', {
        id: randomUUID(),
        fileId,
        status: 2,
        stored: { fileId, fileType: info.fileType, size: info.size, revision: info.revision },
        restored: version,
        ...(user && { users: [user.id] })
      })
      return { version: number, revision: info.revision }
    })
  }

  /** 0 if the number cannot be determined; the version is restored anyway. */
  async function numberOf (fileId: string, { revision }: StoredDocument): Promise<number> {
    const all = await versions.of(fileId).catch(() => [])
    return all.findLast(version => version.revision === revision)?.version ?? 0
  }
}
