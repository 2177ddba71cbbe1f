import t from 'tap'
import { sign, startBoth } from '../../support.js'

const STORED = Buffer.from('Nr;Kunde\r\n007;M\xfcller\r\n', 'latin1')

t.test('document.options say how a csv file is read', async t => {
  const { host, server } = await startBoth(t)
  host.files.set('/files/table.csv', STORED)
  let keys = 0
  for (const [options, expected] of [
    [{ codePage: 1252, delimiter: 2 }, 'Nr,Kunde\n007,Müller\n'],
    [{ codePage: 1252, delimiterChar: ';' }, 'Nr,Kunde\n007,Müller\n'],
    [{ codePage: 1252, delimiter: 1 }, 'Nr;Kunde\n007;Müller\n']
  ] as const) {
    const { token: _, ...config } = host.config(`key-${keys++}`, { name: 'table.csv' })
    const withOptions = { ...config, document: { ...config.document, options } }
    const session = await server.open({ ...withOptions, token: sign(withOptions) })
    t.equal(Buffer.from(await session.content()).toString(), expected, JSON.stringify(options))
    await session.close()
  }
})

t.test('a csv file is saved in a way of its own', async t => {
  const { host, server } = await startBoth(t)
  host.files.set('/files/table.csv', STORED)
  const { token: _, ...config } = host.config('key-1', { name: 'table.csv' })
  const opened = { ...config, document: { ...config.document, options: { codePage: 1252, delimiter: 2 } } }
  const session = await server.open({ ...opened, token: sign(opened) })
  await session.edit('Nr,Kunde\n007,"Söhne, Co"\n1.50,true\n')
  host.beforeAnswer = async ({ url }) => {
    if (url !== undefined) t.equal(Buffer.from(await (await fetch(String(url))).arrayBuffer()).toString(), '\ufeffNr,Kunde,\n7,"Söhne, Co",\n1.5,TRUE,\n')
  }
  t.equal((await session.close()).accepted, true)
  t.match(host.callbacks(2), [{ filetype: 'csv' }])
})
