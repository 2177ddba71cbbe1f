import { WebSocket } from 'undici'
import type { Test } from 'tap'
import { createDocumentServer, type DocumentServer, type EditorConfig } from 'onlyoffice-emulator'
import { startDemo } from '../../kit/programs.js'
import { startHost } from '../../kit/host.js'
import { send } from '../../kit/http.js'
import { SECRET } from '../../kit/document-server.js'
import type { AlwaysStopped, TargetOptions } from './attack.js'

/**
 * The attacker's own: it resolved to their server, and now to the victim's machine. For a browser it is still the same
 * site.
 */
const REBOUND = 'evil.example'
const BECAUSE = 'a request with a foreign Host header is refused'

/** What a script of that site is answered, which is connected to this machine now. */
async function read (url: string): Promise<string> {
  return (await send(url, { headers: { host: `${REBOUND}:${new URL(url).port}` } })).body
}

/** Finds the addresses of the documents in the list, and fetches them. */
async function takesDocuments (t: Test, { profile }: TargetOptions, env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const demo = await startDemo(t, { env: { PROFILE: profile, ...env } })
  const stored = Buffer.from(await demo.download('Shopping list.md')).toString()
  const links = (await read(demo.url)).matchAll(/\/documents\/[^/"]+\/download/g)
  const taken = await Promise.all(Array.from(links, async ([path]) => await read(demo.url + path)))
  return taken.includes(stored)
}

/** An emulated document server, and a service whose document is edited there. */
async function startEmulator (t: Test, options: TargetOptions, allowedHosts: readonly string[] = []) {
  const documentServer = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, allowedHosts })
  const { app, storage } = await startHost(t, { ...options, documentServerOrigin: documentServer.url })
  t.teardown(() => documentServer.close()) // first: it saves what is open
  const { fileId } = await storage.create('txt', Buffer.from('a document'))
  const control = await app.editorControl().openDocument(fileId)
  return { documentServer, config: control.config as EditorConfig }
}

async function takesResult (t: Test, options: TargetOptions, allowedHosts?: readonly string[]): Promise<boolean> {
  const { documentServer, config } = await startEmulator(t, options, allowedHosts)
  const session = await documentServer.open(config)
  await session.edit('written by the victim')
  await session.forceSave()
  const { body } = await documentServer.nextCallback(6)
  return (await read(String(body!.url))).includes('written by the victim')
}

async function opensSession (t: Test, { url }: DocumentServer, config: EditorConfig, origin: string): Promise<boolean> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/doc/socket`, { headers: { origin } })
  t.teardown(() => socket.close())
  return new Promise(resolve => {
    socket.onopen = () => socket.send(JSON.stringify({ type: 'open', config }))
    socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)).type === 'opened')
    socket.onerror = () => resolve(false)
  })
}

export const rebinding: readonly AlwaysStopped[] = [
  {
    title: 'lists and downloads the documents of a demo on a developer\'s machine through DNS rebinding',
    has: 'a web site that the developer visits, and its name server',
    because: BECAUSE,
    startsProcesses: true,
    run: (t, options) => takesDocuments(t, options),
    control: (t, options) => takesDocuments(t, options, { ALLOWED_HOSTS: REBOUND })
  },
  {
    title: 'takes a saved file from an emulated document server on a developer\'s machine through DNS rebinding',
    has: 'a web site that the developer visits, and the URL of the saved file',
    because: BECAUSE,
    run: (t, options) => takesResult(t, options),
    control: (t, options) => takesResult(t, options, [REBOUND])
  },
  {
    title: 'opens a session at an emulated document server on a developer\'s machine from a page of another site',
    has: 'a web site that the developer visits, and a signed configuration',
    because: 'only its own pages may open a WebSocket',
    async run (t, options) {
      const { documentServer, config } = await startEmulator(t, options)
      return opensSession(t, documentServer, config, `http://${REBOUND}`)
    },
    async control (t, options) {
      const { documentServer, config } = await startEmulator(t, options)
      return opensSession(t, documentServer, config, documentServer.url)
    }
  }
]
