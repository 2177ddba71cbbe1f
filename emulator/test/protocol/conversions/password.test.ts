import { readFileSync } from 'node:fs'
import t from 'tap'
import { protectedFile } from '../../protected.js'
import { fixture, postSigned, startDocumentServer, startFakeHost } from '../../support.js'

const PASSWORD = 'pass word'
const sources = {
  'as LibreOffice protects it': readFileSync(new URL('../../fixtures/documents/protected-report.docx', import.meta.url)),
  'as current versions of Office protect it': protectedFile(fixture('report.docx'), PASSWORD)
}

for (const [title, bytes] of Object.entries(sources)) {
  t.test(`a protected source needs its password, -5 without it or with another: ${title}`, async t => {
    const host = await startFakeHost(t)
    const { url } = await startDocumentServer(t)
    host.files.set('/files/protected.docx', bytes)
    const convert = async (changes: object): Promise<Record<string, unknown>> => {
      const request = { async: false, filetype: 'docx', key: 'C', outputtype: 'txt', title: 'a.docx', url: `${host.origin}/files/protected.docx`, ...changes }
      return await (await postSigned(`${url}/converter`, request)).json() as Record<string, unknown>
    }
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
}
