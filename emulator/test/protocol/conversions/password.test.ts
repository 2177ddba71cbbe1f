import t from 'tap'
import { protectedFile } from '../../protected.js'
import { fixture, startConverting } from '../../support.js'

const PASSWORD = 'pass word'

t.test('a protected source needs its password, -5 without it or with another', async t => {
  const { host, convert: ask } = await startConverting(t)
  host.files.set('/files/protected.docx', protectedFile(fixture('report.docx'), PASSWORD))
  const convert = async (changes: object) => await ask({ filetype: 'docx', outputtype: 'txt', url: `${host.origin}/files/protected.docx`, ...changes })
  t.strictSame(await convert({}), { error: -5 })
  t.strictSame(await convert({ password: '' }), { error: -5 })
  t.strictSame(await convert({ password: 'another' }), { error: -5 })
  const { fileUrl } = await convert({ password: PASSWORD })
  t.match(await (await fetch(String(fileUrl))).text(), /Quarterly|report/i)
  const unlocked = await convert({ password: PASSWORD, outputtype: 'docx' })
  t.equal(Buffer.from(await (await fetch(String(unlocked.fileUrl))).arrayBuffer()).subarray(0, 2).toString(), 'PK', 'the result has no password')

  t.strictSame(await convert({ password: 'another' }), { error: -5 }, 'the cached result is not for everybody')
  t.strictSame(await convert({}), { error: -5 })
  t.match(await convert({ password: PASSWORD }), { endConvert: true })
})
