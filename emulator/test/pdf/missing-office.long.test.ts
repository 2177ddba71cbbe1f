import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { converter } from '../../lib/documents/converter/convert.js'
import { emptyTemplate } from '../../lib/documents/empty.js'
import { openEditable } from '../../lib/documents/open.js'
import { fixture, postSigned, startDocumentServer, startFakeHost } from '../support.js'

interface Answer {
  readonly error?: number
  readonly fileUrl: string
}

async function start (t: Test) {
  const lines: string[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    }
  })
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t, { libreOffice: false, logger: { level: 'warn', stream } })
  let key = 0
  const convert = async (name: string, outputtype: string): Promise<Answer> => {
    host.files.set(`/files/${name}`, fixture(name))
    const filetype = name.split('.')[1]!
    return await (await postSigned(`${url}/converter`, {
      async: false, filetype, key: `K${key++}`, outputtype, url: `${host.origin}/files/${name}`
    })).json() as Answer
  }
  return { host, url, convert, messages: () => lines.map(line => (JSON.parse(line) as { msg: string }).msg) }
}

t.test('without LibreOffice, what needs it answers -3, and the log says how to install it, once for each pair', async t => {
  const { convert, messages } = await start(t)
  const pairs = [
    ['report.docx', 'odt'], ['report.docx', 'html'], ['orders.ods', 'csv'], ['orders.xlsx', 'ods'], ['deck.pptx', 'odp']
  ] as const
  const answers = await Promise.all([...pairs, ...pairs].map(async ([name, to]) => await convert(name, to)))
  t.strictSame(answers, answers.map(() => ({ error: -3 })))
  t.equal(messages().length, pairs.length)
  for (const [name, to] of pairs) {
    const message = messages().find(text => text.includes(`Converting ${name.split('.')[1]} to ${to} needs LibreOffice`))
    for (const hint of ['apt-get install libreoffice', 'brew install', 'winget install']) t.match(message, hint)
  }
})

t.test('without LibreOffice, documents become text and images, and .xlsx becomes .csv', async t => {
  const { convert, messages } = await start(t)
  const names = ['report.docx', 'report.odt', 'orders.xlsx', 'orders.ods', 'deck.pptx', 'deck.odp', 'orders.csv']
  await Promise.all(names.flatMap(name => ['txt', 'png'].map(async to => {
    t.type((await convert(name, to)).fileUrl, 'string', `${name} to ${to}`)
  })))
  const { fileUrl } = await convert('orders.xlsx', 'csv')
  const [head, first] = (await (await fetch(fileUrl)).text()).split('\n')
  t.strictSame([head, first], ['id,region,units,price,date', '1,East,486,25.71,2026-07-21'])
  t.strictSame(messages(), [])
})

t.test('a .csv has empty rows and cells where the .xlsx has them, and quotation marks where they are needed', async t => {
  const workbook = openEditable('xlsx', emptyTemplate('xlsx'))
  for (const [cell, value] of [['B2', 'a, "b"'], ['D2', '4.5'], ['A4', 'end']] as const) {
    workbook.apply({ op: 'cell', sheet: 'Sheet1', cell, value })
  }
  const csv = await converter(null)(workbook.bytes(), 'xlsx', 'csv')
  t.equal(Buffer.from(csv!).toString(), '\n,"a, ""b""",,4.5\n\nend\n')
})
