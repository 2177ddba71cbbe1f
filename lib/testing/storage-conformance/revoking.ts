import assert from 'node:assert/strict'
import type { Content, FileInfo, ReplaceOptions, Storage } from '../../../types/storage.js'
import { assertUnchanged, type ConformanceCase, type StorageSubject, FORMAT_OPTIONS, inChunks, MALFORMED_IDS, NEW_BYTES, OLD_BYTES, patternBytes } from './case.js'

type Revoke = NonNullable<Storage['revoke']>

/** Runs only for storages with `revoke`. Calls it on a second instance. */
function revokingCase (name: string, run: (revoke: Revoke, subject: StorageSubject) => Promise<void>): ConformanceCase {
  return {
    name: `revoke: ${name}`,
    async run (subject) {
      const { storage, reopen } = subject
      if (!storage.revoke) return
      const other = reopen?.() ?? storage
      await run(async (fileId, ticket) => { await other.revoke!(fileId, ticket) }, subject)
      if (reopen) await other.close?.()
    }
  }
}

interface Replacement {
  readonly outcome: FileInfo | null | Error
  /** `undefined` if the storage does not call `beforePublish`. Then there is nothing to test. */
  readonly ticket: string | undefined
}

/** Replaces a file and calls `onTicket` during `beforePublish`. */
async function replaceWithTicket (storage: Storage, fileId: string, content: Content, options: ReplaceOptions, onTicket: (ticket: string) => Promise<void> = async () => {}): Promise<Replacement> {
  let ticket: string | undefined
  let isCalled = false
  const outcome: FileInfo | null | Error = await storage.replace(fileId, content, {
    ...options,
    async beforePublish (_info, given) {
      isCalled = true
      ticket = given
      if (given !== undefined) await onTicket(given)
    }
  }).catch((error: Error) => error)
  assert.equal(typeof ticket, isCalled ? 'string' : 'undefined', 'a storage with revoke must pass a ticket to beforePublish')
  return { outcome, ticket }
}

export const revokingCases: readonly ConformanceCase[] = [
  revokingCase('a replace whose ticket is revoked during beforePublish rejects and publishes nothing', async (revoke, { storage, list }) => {
    for (const options of FORMAT_OPTIONS) {
      for (const isStaged of [false, true]) {
        const old = await storage.create('docx', OLD_BYTES)
        const names = await list?.()
        const staged = isStaged ? await storage.stage?.(old.fileId, inChunks(NEW_BYTES)) : undefined
        const { outcome, ticket } = await replaceWithTicket(storage, old.fileId, staged ?? NEW_BYTES, { ...options, ifRevision: old.revision }, async ticket => await revoke(old.fileId, ticket))
        if (ticket === undefined) continue
        assert.ok(outcome instanceof Error, 'replace must reject: its ticket has been revoked')
        await assertUnchanged(storage, old, OLD_BYTES)
        await staged?.discard()
        assert.deepEqual(await list?.(), names, 'nothing must be left behind')
        const replaced = await storage.replace(old.fileId, NEW_BYTES, options)
        assert.ok(replaced, 'a later replace must succeed')
        await assertUnchanged(storage, replaced, NEW_BYTES)
      }
    }
  }),
  revokingCase('revoking the ticket of published content, even repeatedly, changes nothing', async (revoke, { storage, list }) => {
    for (const options of FORMAT_OPTIONS) {
      const { fileId } = await storage.create('docx', OLD_BYTES)
      const { outcome, ticket } = await replaceWithTicket(storage, fileId, NEW_BYTES, options)
      if (ticket === undefined) continue
      const names = await list?.()
      for (let round = 0; round < 2; round++) {
        await revoke(fileId, ticket)
        await assertUnchanged(storage, outcome as FileInfo, NEW_BYTES)
      }
      assert.deepEqual(await list?.(), names, 'revoke must add and remove nothing')
      const back = await storage.replace(fileId, OLD_BYTES, { extension: 'docx' })
      await revoke(fileId, ticket)
      await assertUnchanged(storage, back!, OLD_BYTES)
    }
  }),
  revokingCase('a ticket does not affect later replaces', async (revoke, { storage }) => {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    const first = await replaceWithTicket(storage, fileId, NEW_BYTES, {})
    const last = await replaceWithTicket(storage, fileId, patternBytes(10), {}, async () => { if (first.ticket !== undefined) await revoke(fileId, first.ticket) })
    await assertUnchanged(storage, last.outcome as FileInfo, patternBytes(10))
  }),
  // An instance that takes over a lock revokes whatever ticket the record contains.
  revokingCase('an unknown or malformed ticket is not an error and changes nothing', async (revoke, { storage, list }) => {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    const tickets = ['', 'no ticket', '{', '{}', '[]', 'null', '1', '"../x"', '{"temp":"../x"}', '{"temp":null}', `${old.fileId}.docx`, JSON.stringify({ temp: `${old.fileId}.docx` })]
    for (const ticket of tickets) {
      for (const fileId of [old.fileId, `${old.fileId}x`, ...MALFORMED_IDS.slice(0, 4)]) await revoke(fileId, ticket)
    }
    await assertUnchanged(storage, old, OLD_BYTES)
    assert.deepEqual(await list?.(), names, 'revoke must add and remove nothing')
  })
]
