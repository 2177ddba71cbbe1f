// A service in a process of its own, whose file system can be made to fail:
// `disk-service.ts <directory> <origin of the document server>`.
import Fastify from 'fastify'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import editor, { fileStorage } from '../../../lib/index.js'
import { SECRET } from '../../kit/document-server.js'
import { type DiskFault, interceptDiskCalls } from './disk-calls.js'

const [directory, documentServerOrigin] = process.argv.slice(2) as [string, string]
const calls = await interceptDiskCalls()

const server = http.createServer()
// listens first: the plugin wants to know its own address
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const app = Fastify({ serverFactory: handler => server.on('request', handler) })

await app.register(editor, {
  editorApiUrl: `${documentServerOrigin}/web-apps/apps/api/documents/api.js`,
  jwtSecret: SECRET,
  publicBaseUrl: origin,
  storage: fileStorage({ directory }),
  saveRetries: 0
})
app.get<{ Params: { fileId: string } }>('/config/:fileId', async ({ params }) =>
  (await app.editorControl().openDocument(params.fileId)).config)
app.put<{ Body: DiskFault }>('/faults', async ({ body }) => { calls.fail(body) })
app.delete('/faults', async () => calls.heal() ?? '')

await app.ready()
process.send!(origin)
