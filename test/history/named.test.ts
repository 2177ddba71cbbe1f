import t from 'tap'
import type { Storage } from '../../lib/index.js'
import { ADA } from '../kit/host.js'
import { GRACE, OLD, startHistorian } from '../kit/sessions.js'

const SIGNED = { name: 'Signed <b>&“é” 😀', comment: 'As sent\nto the notary' }

for (const inFiles of [false, true]) {
  const where = inFiles ? 'in files' : 'in memory'

  t.test(`a version is named, also the present one, and the name stays with it: ${where}`, async t => {
    const { edit, control, contents } = await startHistorian(t, { inFiles })
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

  t.test(`named versions are kept and do not count: ${where}`, async t => {
    const { edit, control, contents } = await startHistorian(t, { inFiles, versions: { keep: 2 } })
    const rename = async (version: number, name: string | null) => await (await control()).nameVersion(version, name === null ? null : { name })
    for (let count = 2; count <= 40; count++) {
      await edit(`text ${count}`, count % 2 ? ADA : GRACE)
      if (count <= 6) await rename(count, `v${count}`)
    }
    const numbers = async () => (await contents()).map(([number]) => number)
    t.strictSame((await numbers()).slice(0, 6), [1, 2, 3, 4, 5, 6], 'what was uploaded goes last')
    t.equal((await numbers()).length, 5 + 2 + 1, 'two others, and the present one')
    await rename(3, null)
    for (let count = 41; count <= 60; count++) await edit(`text ${count}`, count % 2 ? ADA : GRACE)
    t.strictSame((await numbers()).slice(0, 5), [1, 2, 4, 5, 6])
  })
}

t.test('100 versions have names; hostile names and missing versions are refused', async t => {
  const { edit, control } = await startHistorian(t, { versions: { keep: 1 } })
  for (let count = 1; count <= 100; count++) {
    await (await control()).nameVersion(count, { name: `v${count}` })
    await edit(`text ${count}`)
  }
  const opened = await control()
  t.equal((await opened.history()).history.length, 101)
  await t.rejects(opened.nameVersion(101, { name: 'one more' }), { code: 'FST_EDITOR_INVALID_OPTION' })
  await t.resolves(opened.nameVersion(100, { name: 'another name' }))
  await opened.nameVersion(7, null)
  await t.resolves(opened.nameVersion(101, { name: 'in its place' }))

  for (const wrong of [{}, { name: '' }, { name: ' ' }, { name: 'a\nb' }, { name: '\0' }, { name: 'x'.repeat(101) }, { name: 1 }, { name: 'x', comment: 'x'.repeat(501) }, { name: 'x', by: 'me' }, 'x', undefined]) {
    await t.rejects(opened.nameVersion(1, wrong as never), { code: 'FST_EDITOR_INVALID_OPTION' })
  }
  for (const version of [0, 102, 1.5, NaN]) await t.rejects(opened.nameVersion(version, { name: 'x' }), { code: 'FST_EDITOR_VERSION_NOT_FOUND' })
})

t.test('a storage without versions.label works as before', async t => {
  const withoutLabel = (storage: Storage): Storage => {
    const { label, ...versions } = storage.versions!
    return { ...storage, versions }
  }
  const { edit, control, contents } = await startHistorian(t, { storing: withoutLabel })
  await edit('two')
  await t.rejects((await control()).nameVersion(1, { name: 'First' }), { code: 'FST_EDITOR_INVALID_OPTION', message: /versions\.label/ })
  t.strictSame(await contents(), [[1, OLD], [2, 'two']])
})

t.test('a save at the same moment: the named version is the one that was meant', async t => {
  let superseding: (() => Promise<unknown>) | undefined
  const { app, edit, control, fileId, contents } = await startHistorian(t, {
    storing: storage => ({
      ...storage,
      versions: {
        ...storage.versions!,
        async keep (...args) {
          const run = superseding
          superseding = undefined
          await run?.()
          return await storage.versions!.keep(...args)
        }
      }
    })
  })
  await edit('two')
  superseding = async () => await edit('three')
  await (await control()).nameVersion(2, { name: 'Two' })
  t.match((await (await app.editorControl().openDocument(fileId)).history()).history, [{ version: 1 }, { version: 2, name: 'Two' }, { version: 3, name: undefined }])
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three']])
})
