// The example of docs/hooks.md asks a virus scanner, which a server stands in for; with CLAMD_PORT, clamd itself does.
import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import type { FastifyOnlyofficeOptions } from '../../lib/index.js'
import { startEditing } from '../kit/editing.js'
import { listen } from '../kit/http.js'
import { readPage } from './markdown.js'

const EICAR = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'
const MAX_BYTES = 1_000_000

/** Answers a `zINSTREAM` command as clamd does. */
function clamd (socket: net.Socket): void {
  let received = Buffer.alloc(0)
  socket.on('data', bytes => {
    received = Buffer.concat([received, bytes])
    const command = Buffer.from('zINSTREAM\0')
    if (!received.subarray(0, command.length).equals(command)) return
    const chunks: Buffer[] = []
    for (let at = command.length; at + 4 <= received.length;) {
      const length = received.readUInt32BE(at)
      at += 4 + length
      const content = Buffer.concat(chunks)
      if (content.length > MAX_BYTES) socket.end('INSTREAM size limit exceeded. ERROR\0', () => socket.destroy())
      else if (length === 0) socket.end(content.includes(EICAR) ? 'stream: Eicar-Test-Signature FOUND\0' : 'stream: OK\0')
      if (socket.writableEnded || at > received.length) return
      chunks.push(received.subarray(at - length, at))
    }
  })
}

t.test('the hook of the page accepts, rejects and fails as it should', async t => {
  const port = Number(process.env.CLAMD_PORT) || (await listen(t, net.createServer(clamd))).port
  const { text: source = '' } = readPage('docs/hooks.md').blocks.find(({ text }) => text.includes('INSTREAM')) ?? {}
  t.match(source, "host: 'clamav', port: 3310")
  const file = join(t.testdir(), 'example.mjs')
  await writeFile(file, `export let registered
const [editor, options, app] = [null, {}, { async register (_plugin, options) { registered = options } }]
${source.replace("host: 'clamav', port: 3310", `host: '127.0.0.1', port: ${port}`)}`)
  const { registered: { inspect } } = await import(pathToFileURL(file).href) as { registered: FastifyOnlyofficeOptions }
  let served = ''
  const failures: string[] = []
  const told = new EventEmitter()
  const { post, url, fileId, storedText } = await startEditing(t, {
    memory: true,
    inspect: inspect!,
    serve: (_request, response) => response.end(served),
    onSaveFailed ({ code, error }) {
      failures.push(`${code} ${error.message}`)
      told.emit('failure')
    }
  })
  let saves = 0
  async function save (content: string): Promise<unknown> {
    served = content
    return await post({ status: 6, url: `${url}&${++saves}`.replace('output.docx', `output${saves}.docx`) })
  }
  const large = 'a line of text\n'.repeat(50_000)
  for (const content of ['clean', large, 'clean again']) {
    t.equal(await save(content), 0)
    t.equal(await storedText(fileId), content)
  }
  t.equal(await save(EICAR), 1)
  t.match(failures, [/^FST_EDITOR_REJECTED The document contains the virus Eicar-Test-Signature/])
  t.equal(await save(large.repeat(10)), 1, 'more than it takes')
  while (failures.length < 2) await once(told, 'failure')
  t.match(failures[1], 'FST_EDITOR_INSPECTION_FAILED The hook inspect failed')
  t.equal(await storedText(fileId), 'clean again')
})
