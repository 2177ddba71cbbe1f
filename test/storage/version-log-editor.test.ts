import t from 'tap'
import { BLOCK, editLog } from '../../lib/storage/version-log-editor.js'
import { EMPTY_LOG, parseSegment } from '../../lib/storage/version-log.js'

const COUNT = 81 * BLOCK
const timeOf = (version: number) => new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString()

/** So many versions that they are in five segments, and what becomes of the log when it is edited. */
async function startLog () {
  const texts: string[] = []
  const store = {
    read: async ({ blob }: { readonly blob: { readonly name: string } }) => parseSegment('a', texts[Number(blob.name)]!),
    write: async (text: string) => ({ name: String(texts.push(text) - 1), size: text.length })
  }
  let log = EMPTY_LOG
  const edit = async <Result> (run: (editor: ReturnType<typeof editLog>) => Result): Promise<Awaited<Result>> => {
    const editor = editLog(log, store)
    const result = await run(editor)
    log = editor.log()
    return result
  }
  for (let version = 1; version <= COUNT; version++) {
    await edit(async editor => {
      editor.keep({ version, revision: `r${version}`, extension: 'txt', modifiedAt: timeOf(version), keptAt: timeOf(version), content: { name: `c${version}`, size: 10 }, changes: null, details: '{}' })
      await editor.roll()
    })
  }
  const numbers = async () => {
    const old = await Promise.all(log.segments.map(async segment => await store.read(segment) ?? []))
    return [...old.flat(), ...log.entries].map(({ version }) => version)
  }
  return { edit, numbers, segments: () => log.segments }
}

for (const [what, limits, left] of [
  ['many', { keep: 100, maxBytes: Infinity, keptSince: new Date(0) }, 100],
  ['old', { keep: Infinity, maxBytes: Infinity, keptSince: new Date() }, 1]
] as const) {
  t.test(`versions with labels in every segment do not keep the others from being removed, and do not count: too ${what}`, async t => {
    const { edit, numbers, segments } = await startLog()
    t.ok(segments().length > 4)
    const named = [...segments().map(({ first }) => first), COUNT - 1]
    for (const version of named) t.equal(await edit(async editor => await editor.label(version, { name: 'kept' })), true)
    t.equal(await edit(async editor => await editor.label(COUNT + 1, { name: 'none' })), false)
    const prune = async () => {
      for (let round = 0; round < 40; round++) await edit(async editor => { await editor.prune(limits) })
      return await numbers()
    }
    const kept = await prune()
    t.equal(kept.length, left + named.length)
    t.strictSame(named.filter(version => !kept.includes(version)), [])
    await edit(async editor => await editor.label(1, null))
    t.notOk((await prune()).includes(1))
  })
}
