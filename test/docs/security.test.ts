import { readFile } from 'node:fs/promises'
import Fastify from 'fastify'
import t from 'tap'
import editor from '../../lib/index.js'
import { HANDLER } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { memoryLog } from '../kit/log.js'
import { exchange } from '../kit/http.js'

const options = { editorApiUrl: 'http://127.0.0.1:9/api.js', jwtSecret: SECRET, publicBaseUrl: 'https://app.example.com' }
const QUERY = '?action=download&fileId=a&signature=confidential'

t.test('what only the application can keep out of its log is documented in SECURITY.md, with the options that do so', async t => {
  const security = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8')
  const code = /```js\s+(const withoutQuery[\s\S]*?)```/.exec(security)![1]!
  const log = memoryLog()
  const app = new Function( // eslint-disable-line no-new-func
    'Fastify',
    'stream',
    `${code.replace(/logger: \{/, 'logger: { level: "trace", stream,')}\nreturn app`
  )(Fastify, log.server.logger.stream)
  t.teardown(() => app.close())
  await app.register(editor, { ...options })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { host } = new URL(origin)
  const close = `Host: ${host}\r\nConnection: close\r\n\r\n`
  t.match(await exchange(t, origin, `GET /nowhere${QUERY} HTTP/1.1\r\n${close}`), /^HTTP\/1\.1 404/)
  t.match(await exchange(t, origin, `GET ${HANDLER}/${QUERY} HTTP/1.1\r\n${close}`), /^HTTP\/1\.1 404/)
  t.match(await exchange(t, origin, `PROPFIND ${HANDLER}${QUERY} HTTP/1.1\r\n${close}`), /^HTTP\/1\.1 404/)
  t.match(await exchange(t, origin, `GET ${HANDLER}${QUERY} HTTP/1.1\r\nHost: ${host}\r\nBroken header\r\n\r\n`), /^HTTP\/1\.1 400/)
  t.match(log.text(), '/nowhere')
  t.notMatch(log.text(), 'confidential')
  t.notMatch(log.text(), Buffer.from('confidential').toString('hex'))
  t.notMatch(log.text(), [...Buffer.from('confidential')].join())
})
