import t from 'tap'
import { ADA } from '../kit/host.js'
import { GRACE, OLD, startHistorian } from '../kit/sessions.js'

const SIGNED = { name: 'Signed <b>&“é” 😀', comment: 'As sent\nto the notary' }

t.test('a version is named, also the present one, and the name stays with it', async t => {
  const { edit, control, contents } = await startHistorian(t)
  const named = async () => (await (await control()).history()).history.map(({ version, name, comment }) => [version, name, comment])
  await edit('two')
  await (await control()).nameVersion(1, { name: 'First' })
  await (await control()).nameVersion(2, SIGNED)
  t.strictSame(await named(), [[1, 'First', undefined], [2, SIGNED.name, SIGNED.comment]])
  const before = (await (await control()).history()).history
  t.match(before[1], { user: ADA, version: 2 }, 'the author is still known')
  await edit('three', GRACE)
  await edit('four')
  t.strictSame(await named(), [[1, 'First', undefined], [2, SIGNED.name, SIGNED.comment], [3, undefined, undefined], [4, undefined, undefined]])
  t.match((await (await control()).history()).history.map(({ user }) => user.id), ['', 'ada', 'grace', 'ada'])
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three'], [4, 'four']])
  await (await control()).nameVersion(2, { name: 'Sent' })
  await (await control()).nameVersion(1, null)
  await (await control()).nameVersion(1, null)
  t.strictSame((await named()).slice(0, 2), [[1, undefined, undefined], [2, 'Sent', undefined]])
})

t.test('named versions are kept and do not count', async t => {
  const { edit, control, contents } = await startHistorian(t, { versions: { keep: 2 } })
  const rename = async (version: number, name: string | null) => await (await control()).nameVersion(version, name === null ? null : { name })
  for (let count = 2; count <= 15; count++) {
    await edit(`text ${count}`, count % 2 ? ADA : GRACE)
    if (count <= 6) await rename(count, `v${count}`)
  }
  const numbers = async () => (await contents()).map(([number]) => number)
  t.strictSame((await numbers()).slice(0, 6), [1, 2, 3, 4, 5, 6], 'what was uploaded goes last')
  t.equal((await numbers()).length, 5 + 2 + 1, 'two others, and the present one')
  await rename(3, null)
  for (let count = 16; count <= 22; count++) await edit(`text ${count}`, count % 2 ? ADA : GRACE)
  t.strictSame((await numbers()).slice(0, 5), [1, 2, 4, 5, 6])
})
