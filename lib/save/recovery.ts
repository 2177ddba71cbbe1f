import { createHash, type Hash } from 'node:crypto'
import type { RecoveryMessage } from '../../types/diagnostics.js'
import type { RecoveredFile, RecoverForgottenOptions } from '../../types/document-server.js'
import type { ForgottenFileEvent } from '../../types/events.js'
import type { StoredDocument } from '../../types/storage.js'
import { channels, codeOf, reportEnd } from '../diagnostics.js'
import { COMMAND_CODE, type Commands, isAnswer, unlessKeyUnknown } from '../document-server/commands.js'
import { documentTypeOf, extensionOf } from '../document-server/formats.js'
import { BeingEditedError, FileNotFoundError, UpstreamError } from '../errors.js'
import { runHook } from '../services.js'
import { liveSessions, sessionWith } from '../sessions/record.js'
import type { SessionServices } from '../sessions/record-store.js'
import type { StagedContent } from '../store/contract.js'
import { spool } from '../store/spool.js'
import { BoundedMap, regularly, unlessAborted } from '../util/limits.js'
import { createQueue } from '../util/queue.js'
import { sha256Of } from '../util/text.js'
import { parseHttpUrl } from '../util/url.js'
import { assertOptions, type Rules, Signal, TrueOrFalse } from '../util/validate.js'
import type { SaveRequest } from './save-request.js'
import type { Fetch, SaveOutcome, Saves } from './saves.js'

interface FetchedFile<Staged> {
  readonly staged: Staged
  readonly hash: string
  readonly fileType: string | undefined
  readonly writtenAt: Date | undefined
}

/** The document server's forgotten files. Source: emulator/docs/document-server-protocol.md#forgotten-files */
function createForgottenFiles (commands: Commands, fetchSaved: Fetch) {
  return { keys, isBeingEdited, fetch, remove }

  async function keys (signal: AbortSignal): Promise<readonly string[]> {
    const { keys } = await commands.send({ c: 'getForgottenList' }, { signal }) as { readonly keys: unknown }
    if (!Array.isArray(keys)) {
      throw new UpstreamError('the list of forgotten files did not come from a document server', { retryable: false })
    }
    return keys.filter(key => typeof key === 'string')
  }

  /**
   * Whether users are editing under this key, or have unsaved changes. Never call it in the file's queue: see
   * `Commands.lookUp`.
   */
  async function isBeingEdited (key: string, signal?: AbortSignal): Promise<boolean> {
    try {
      return await unlessKeyUnknown(commands.send({ c: 'info', key }, signal && { signal })) !== null
    } catch (error) {
      if (isAnswer(error, COMMAND_CODE.callback)) return true // there are users, but no callback URL
      throw error
    }
  }

  /**
   * Fetches a forgotten file and passes it to `stage`. Resolves to `null` if the file is gone. `hash`: SHA-256 of the
   * content. `fileType`: the format, if the document server opens it. `writtenAt`: when the document server wrote the
   * file, by its clock, if reported.
   */
  async function fetch<Staged> (
    key: string, storedType: string | undefined,
    stage: (content: AsyncIterable<Uint8Array>, fileType: string | undefined) => Promise<Staged>
  ): Promise<FetchedFile<Staged> | null> {
    const url = await urlOf(key)
    if (url === null) return null
    const extension = extensionOf(url.pathname)
    const fileType = documentTypeOf(extension) ? extension : undefined
    const file = { url, fileType, storedType: storedType ?? extension }
    try {
      return await fetchSaved(file, async (content, response) => {
        const hash = createHash('sha256')
        const staged = await stage(hashed(content, hash), fileType)
        return { staged, hash: hash.digest('hex'), fileType, writtenAt: dateOf(response.header('last-modified')) }
      })
    } catch (error) {
      // it was deleted meanwhile
      if (error instanceof UpstreamError && await urlOf(key).catch(() => url) === null) return null
      throw error
    }
  }

  async function remove (key: string): Promise<void> {
    await unlessKeyUnknown(commands.send({ c: 'deleteForgotten', key }))
  }

  async function urlOf (key: string): Promise<URL | null> {
    const found = await unlessKeyUnknown(commands.send({ c: 'getForgotten', key }))
    return found && parseHttpUrl(found.url)
  }
}

async function * hashed (content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
}

function dateOf (header: string | undefined): Date | undefined {
  const date = new Date(header ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}

type Result = Omit<RecoveredFile, 'key' | 'fileId' | 'kept'>

/** The outcome, and the hash of the content if the document server may now delete the file. */
interface Placed extends Result {
  readonly hash?: string
}

const MAX_FOREIGN_KEYS = 10_000

const rules: Rules<RecoverForgottenOptions> = { dryRun: TrueOrFalse, signal: Signal }

/** Stores the forgotten files of this application's documents and then deletes them at the document server. */
export function createRecovery (services: SessionServices, saves: Saves) {
  const { settings, storage, inspected, recordStore, keys, log, shutdown: { closing } } = services
  const forgottenFiles = createForgottenFiles(services.commands, saves.fetch)
  /** Runs follow one another: two at once would fetch everything twice. */
  const runs = createQueue()
  /** Keys that no record contains, remembered so that not all records are read again. */
  const foreign = new BoundedMap<string, true>(MAX_FOREIGN_KEYS)

  return {
    recoverForgotten,
    recoverRegularly,
    /** Resolves when no run is in progress. */
    idle: runs.idle
  }

  async function recoverForgotten (options: RecoverForgottenOptions = {}): Promise<readonly RecoveredFile[]> {
    assertOptions(rules, options)
    const { dryRun = false, signal: given } = options
    const signal = given ? AbortSignal.any([given, closing]) : closing
    return await runs.enter('', async turn => {
      await unlessAborted(turn, signal)
      return await recoverAll(dryRun, signal)
    })
  }

  async function recoverRegularly (): Promise<void> {
    const { interval } = settings.recovery
    if (interval === undefined) return
    await regularly(interval, closing, async () => {
      await recoverForgotten().catch(err => {
        if (!closing.aborted) log.warn({ err }, 'the document server\'s forgotten files could not be recovered')
      })
    })
  }

  async function recoverAll (dryRun: boolean, signal: AbortSignal): Promise<readonly RecoveredFile[]> {
    const results: RecoveredFile[] = []
    const forgotten = await forgottenFiles.keys(signal)
    const fileIds = await fileIdsOf(forgotten, signal)
    for (const key of forgotten) {
      signal.throwIfAborted()
      const recovering = async () => await recoverLogged(key, fileIds.get(key), dryRun, signal)
      results.push(
        await (dryRun ? recovering() : reportEnd(channels.recovery, { key, kept: true }, recovering, messageOf))
      )
    }
    return results
  }

  /** The fileId of each key: from the key itself, or from the record that contains the key. */
  async function fileIdsOf (forgotten: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    const others = new Set<string>()
    for (const key of forgotten) {
      const fileId = keys.fileIdOf(key)
      if (fileId !== undefined) found.set(key, fileId)
      else if (!foreign.has(key)) others.add(key)
    }
    if (others.size === 0) return found
    for await (const { fileId, record: { sessions, saves } } of recordStore.readAll()) {
      signal.throwIfAborted()
      const ownSaves = saves.filter(({ result }) => result?.conflictFileId !== fileId) // it may be a conflict copy
      for (const { key } of [...sessions, ...ownSaves]) if (others.delete(key)) found.set(key, fileId)
      if (others.size === 0) break
    }
    for (const key of others) foreign.set(key, true)
    return found
  }

  async function recoverLogged (
    key: string, known: string | undefined, dryRun: boolean, signal: AbortSignal
  ): Promise<RecoveredFile> {
    const fileId = known ?? await fileIdByApplication(key)
    if (fileId === undefined) return { key, outcome: 'foreign', kept: true }
    try {
      const result = { key, fileId, ...await recover(key, fileId, dryRun, signal) }
      if (!dryRun) log.info(result, 'a forgotten file was examined')
      return result
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ err: error, fileId, key }, 'a forgotten file could not be recovered: the document server keeps it')
      return { key, fileId, outcome: 'failed', kept: true, error: error as Error }
    }
  }

  /** An invalid answer or an error must not stop the recovery of the other files. */
  async function fileIdByApplication (key: string): Promise<string | undefined> {
    try {
      const fileId = await runHook(services, async context => await settings.recovery.fileIdOf?.({ key }, context), {
        name: 'recovery.fileIdOf',
        key
      })
      return typeof fileId === 'string' && fileId !== '' ? fileId : undefined
    } catch (err) {
      log.error({ err, key }, 'recovery.fileIdOf failed')
      return undefined
    }
  }

  async function recover (
    key: string, fileId: string, dryRun: boolean, signal: AbortSignal
  ): Promise<Result & { readonly kept: boolean }> {
    if (await forgottenFiles.isBeingEdited(key, signal)) return { outcome: 'being-edited', kept: true }
    const stored = await storage.stat(fileId)
    if (dryRun) return { outcome: stored || settings.onForgotten ? 'recoverable' : 'no-document', kept: true }

    const { hash, ...result } = stored === null ? await handOver(key, fileId, signal) : await store(key, stored, signal)
    // An abort has no effect once the file is stored.
    const isDeleted = hash === undefined ? result.outcome === 'gone' : await deleteIfUnchanged(key, hash)
    return { ...result, kept: !isDeleted }
  }

  /**
   * A final save like any other, decided after all arrived callbacks are applied. The document server is asked first,
   * outside the queue, because its answer may take minutes.
   */
  async function store (key: string, stored: StoredDocument, signal: AbortSignal): Promise<Placed> {
    const { fileId } = stored
    const session = await saves.queue.run(fileId, async () => sessionWith((await recordStore.read(fileId)).record, key))
    const file = await saves.stageSaved(stored, async stage => await forgottenFiles.fetch(key, stored.fileType, stage))
    if (file === null) return { outcome: 'gone' }
    const about = { reason: 'recovery', fileId, key, fileType: file.fileType ?? stored.fileType, signal } as const
    try {
      const outcome = await inspected(file.staged, about, async content => {
        const request = saveRequest(key, fileId, file, { session, keysAtRest: await keysAtRest(key, fileId, signal) })
        return await saves.queue.run(fileId, async () =>
          await saves.store(request, { staged: content, fetched: file.staged }))
      })
      if (outcome !== 'missing') return { ...resultOf(outcome), hash: file.hash }
    } catch (error) {
      if (error instanceof BeingEditedError) return { outcome: 'being-edited' }
      if (!(error instanceof FileNotFoundError)) throw error
    } finally {
      await storage.discard(file.staged)
    }
    return await handOver(key, fileId, signal) // it was deleted meanwhile
  }

  /**
   * This key, and the keys of noted sessions in which nobody is editing. Sessions at another document server are left
   * out, because their state is unknown. Rejects with `BeingEditedError` if somebody has opened this key meanwhile.
   */
  async function keysAtRest (key: string, fileId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (await forgottenFiles.isBeingEdited(key, signal)) throw new BeingEditedError(0)
    const atRest = new Set([key])
    for (const { key: other } of liveSessions((await recordStore.read(fileId)).record)) {
      const isAsked = !atRest.has(other) && !keys.isForAnotherServer(fileId, other)
      if (isAsked && !await forgottenFiles.isBeingEdited(other, signal)) atRest.add(other)
    }
    return atRest
  }

  async function handOver (key: string, fileId: string, signal: AbortSignal): Promise<Placed> {
    const { onForgotten } = settings
    if (!onForgotten) return { outcome: 'no-document' }
    const file = await forgottenFiles.fetch(key, undefined, async content => await spool(content))
    if (file === null) return { outcome: 'gone' }
    try {
      const stored = await storage.stat(fileId)
      if (stored !== null) return await store(key, stored, signal) // it was put back meanwhile
      await runHook(services, async context => await onForgotten(eventOf(key, fileId, file), context), {
        name: 'onForgotten',
        fileId,
        key
      })
      return { outcome: 'handed-over', hash: file.hash }
    } finally {
      await file.staged.discard()
    }
  }

  /**
   * Resolves to whether the document server no longer has the file. Since the file was fetched, users may have opened
   * the key, and their save may have been refused again: then the document server has newer content under this key. Its
   * delete command takes no condition, so the check comes immediately before it.
   */
  async function deleteIfUnchanged (key: string, hash: string): Promise<boolean> {
    try {
      if (await forgottenFiles.isBeingEdited(key)) return false
      const now = await forgottenFiles.fetch(key, undefined, sha256Of)
      if (now?.hash === hash) await forgottenFiles.remove(key)
      return now === null || now.hash === hash // another instance was faster
    } catch (err) {
      log.warn(
        { err, key },
        'a forgotten file is stored, but could not be deleted at the document server: the next run recognizes it'
      )
      return false
    }
  }
}

/**
 * The path contains a hash of the content, because the URL's own path is the same for every forgotten file of a key.
 */
function saveRequest (
  key: string, fileId: string, { hash, fileType, writtenAt }: FetchedFile<unknown>,
  forgotten: NonNullable<SaveRequest['forgotten']>
): SaveRequest {
  return {
    fileId,
    status: 2,
    url: new URL(`http://forgotten/${hash}`),
    key,
    lastsave: writtenAt?.toISOString(),
    fileType,
    notmodified: true, // it is compared with the stored bytes
    forgotten
  }
}

function resultOf (outcome: Exclude<SaveOutcome, 'missing'>): Result {
  if (typeof outcome === 'string') return { outcome: 'already-stored' }
  const { stored: { fileId, revision }, conflict } = outcome.event
  return { outcome: conflict ? 'conflict' : 'stored', stored: { fileId, revision } }
}

function messageOf ({ fileId, outcome, kept, error }: RecoveredFile): Partial<RecoveryMessage> {
  return { ...(fileId !== undefined && { fileId }), outcome, kept, ...(error && { code: codeOf(error) }) }
}

function eventOf (
  key: string, fileId: string, { staged, fileType = 'bin', writtenAt }: FetchedFile<StagedContent>
): ForgottenFileEvent {
  return { key, fileId, fileType, size: staged.size, ...(writtenAt && { writtenAt }), content: staged }
}
