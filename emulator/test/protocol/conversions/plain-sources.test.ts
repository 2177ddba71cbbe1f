import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  let key = 0
  const bytesOf = async (filetype: string, source: Uint8Array, changes: object): Promise<Buffer> => {
    host.files.set(`/files/source.${filetype}`, source)
    const request = { async: false, filetype, key: `C${key++}`, outputtype: 'txt', title: 'a', url: `${host.origin}/files/source.${filetype}`, ...changes }
    const { fileUrl } = await (await postSigned(`${url}/converter`, request)).json() as { fileUrl: string }
    return Buffer.from(await (await fetch(fileUrl)).arrayBuffer())
  }
  const textOf = async (...source: Parameters<typeof bytesOf>): Promise<string> => new TextDecoder().decode(await bytesOf(...source))
  return { bytesOf, textOf }
}

t.test('codePage is the encoding of a txt or csv source, UTF-8 by default', async t => {
  const { textOf } = await start(t)
  for (const [codePage, hex, text] of [
    [1251, 'cff0e8e2e5f2', 'Привет'],
    ['1251', 'cff0e8e2e5f2', 'Привет'],
    [932, '93fa967b', '日本'],
    [950, 'a4a4a4e5', '中文'],
    [28605, '80a4', '\u0080€'],
    [1200, '4700e900', 'Gé'],
    [65001, 'c3a9', 'é'],
    [undefined, 'c3a9', 'é'],
    [12345, 'c3a9', 'é']
  ] as const) {
    for (const filetype of ['txt', 'csv']) t.equal((await textOf(filetype, Buffer.from(hex, 'hex'), { codePage })).trim(), text, `${filetype} in ${codePage}`)
  }
})

t.test('delimiter separates the fields of a csv source', async t => {
  const { textOf } = await start(t)
  const source = Buffer.from('"a;1";b\tc:d e,f\n')
  for (const [changes, text] of [
    [{ delimiter: 1 }, 'a;1;b,"c:d e,f"'],
    [{ delimiter: 2 }, 'a;1,"b\tc:d e,f"'],
    [{ delimiter: '2' }, 'a;1,"b\tc:d e,f"'],
    [{ delimiter: 3 }, 'a;1;b\tc,"d e,f"'],
    [{ delimiter: 5 }, 'a;1;b\tc:d,"e,f"'],
    [{ delimiter: 0 }, '"a;1;b\tc:d e,f"'],
    [{ delimiter: 4, delimiterChar: 'd' }, 'a;1;b\tc:," e,f"']
  ] as const) t.equal((await textOf('csv', source, changes)).trim(), text, JSON.stringify(changes))
})
