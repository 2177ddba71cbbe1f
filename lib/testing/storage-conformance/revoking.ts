import assert from 'node:assert/strict'
import type { Content, FileInfo, ReplaceOptions, Storage } from '../../../types/storage.js'
import { assertStored, type ConformanceCase, type ConformanceSubject, inPieces, malformed, pattern } from './case.js'

const OLD = pattern(1000)
const NEW = pattern(200_000, 5)

type Revoke = NonNullable<Storage['revoke']>

const formats: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'ODT' }]

/** `revoke` is a capability, and so is to announce: where there is none of them, there is nothing to prove. */
function revokingCase (name: string, run: (revoke: Revoke, subject: ConformanceSubject) => Promise<void>): ConformanceCase {
  return {
    name: `revoke: ${name}`,
    async run (subject) {
      const { storage, reopen } = subject
      if (!storage.revoke) return
      const other = reopen?.() ?? storage
      await run(async (...given) => { await other.revoke!(...given) }, subject)
      if (reopen) await other.close?.()
    }
  }
}

/** Replaces a file and looks in when it is announced. */
async function announced (storage: Storage, fileId: string, content: Content, options: ReplaceOptions, look: (ticket: string) => Promise<void>) {
  let ticket: string | undefined
  let isAnnounced = false
  const outcome: FileInfo | null | Error = await storage.replace(fileId, content, {
    ...options,
    async beforePublish (_info, given) {
      isAnnounced = true
      ticket = given
      if (given !== undefined) await look(given)
    }
  }).catch((error: Error) => error)
  assert.equal(typeof ticket, isAnnounced ? 'string' : 'undefined', 'what is announced has a ticket')
  return { outcome, ticket }
}

export const revokingCases: readonly ConformanceCase[] = [
  revokingCase('what was revoked when it was announced is rejected, and nothing of it is ever published', async (revoke, { storage, list }) => {
    for (const options of formats) {
      for (const isStaged of [false, true]) {
        const old = await storage.create('docx', OLD)
        const names = await list?.()
        const staged = isStaged ? await storage.stage?.(old.fileId, inPieces(NEW)) : undefined
        const { outcome, ticket } = await announced(storage, old.fileId, staged ?? NEW, { ...options, ifRevision: old.revision }, async ticket => await revoke(old.fileId, ticket))
        if (ticket === undefined) continue
        assert.ok(outcome instanceof Error, 'a replace that was revoked is rejected')
        assert.deepEqual(await assertStored(storage, old.fileId, OLD), old)
        await staged?.discard()
        assert.deepEqual(await list?.(), names)
        const replaced = await storage.replace(old.fileId, NEW, options)
        assert.deepEqual(await assertStored(storage, old.fileId, NEW), replaced, 'another one is done')
      }
    }
  }),
  revokingCase('to revoke what is published changes nothing, however often', async (revoke, { storage, list }) => {
    for (const options of formats) {
      const { fileId } = await storage.create('docx', OLD)
      const { outcome, ticket } = await announced(storage, fileId, NEW, options, async () => {})
      if (ticket === undefined) continue
      const names = await list?.()
      for (let round = 0; round < 2; round++) {
        await revoke(fileId, ticket)
        assert.deepEqual(await assertStored(storage, fileId, NEW), outcome)
      }
      assert.deepEqual(await list?.(), names)
      const back = await storage.replace(fileId, OLD, { extension: 'docx' })
      await revoke(fileId, ticket)
      assert.deepEqual(await assertStored(storage, fileId, OLD), back, 'what came later is not touched')
    }
  }),
  revokingCase('only what the ticket was given for is revoked', async (revoke, { storage }) => {
    const { fileId } = await storage.create('docx', OLD)
    const first = await announced(storage, fileId, NEW, {}, async () => {})
    const last = await announced(storage, fileId, pattern(10), {}, async () => { if (first.ticket !== undefined) await revoke(fileId, first.ticket) })
    assert.deepEqual(await assertStored(storage, fileId, pattern(10)), last.outcome)
  }),
  // Whoever takes over from another one must come to an end, whatever is noted.
  revokingCase('a ticket of nothing is no error', async (revoke, { storage, list }) => {
    const old = await storage.create('docx', OLD)
    const names = await list?.()
    const tickets = ['', 'no ticket', '{', '{}', '[]', 'null', '1', '"../x"', '{"temp":"../x"}', '{"temp":null}', `${old.fileId}.docx`, JSON.stringify({ temp: `${old.fileId}.docx` })]
    for (const ticket of tickets) {
      for (const fileId of [old.fileId, `${old.fileId}x`, ...malformed.slice(0, 4)]) await revoke(fileId, ticket)
    }
    assert.deepEqual(await assertStored(storage, old.fileId, OLD), old)
    assert.deepEqual(await list?.(), names)
  })
]
