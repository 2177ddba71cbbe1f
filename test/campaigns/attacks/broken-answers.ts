import { fork } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { HANDLER, signed } from '../../kit/host.js'
import { asDocumentServer, listen } from '../../kit/http.js'
import { packageOf } from '../../kit/packages.js'
import type { AlwaysStopped, Run } from './attack.js'

interface Service {
  readonly origin: string
  readonly key: string
  readonly callbackUrl: string
}

/** Has a service fetch an answer. What becomes of that is not looked at. */
type Fetching = (service: Service, url: string) => Promise<unknown>

const saving: Fetching = async ({ key, callbackUrl }, url) => {
  const claims = asDocumentServer({ key, status: 2, url, filetype: 'docx' }, [new URL(url).origin])
  await fetch(callbackUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ...claims, token: signed(claims) }) })
}

const proxying: Fetching = async ({ origin }, url) => {
  const response = await fetch(`${origin}${HANDLER}?${new URLSearchParams({ action: 'proxy', url })}`)
  await response.arrayBuffer()
}

const compressed = gzipSync(packageOf('a document'))
const cut = answer('Content-Encoding: gzip', compressed.subarray(0, 20))
const empty = answer('Content-Encoding: gzip', Buffer.alloc(0))
/** As much as is kept for someone who does not read. */
const unread = answer('Connection: close', Buffer.alloc(64 * 1024))

function answer (line: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: ${body.length}\r\n\r\n`), body])
}

/** Whether these answers, one after the other, end the process of a host with this HTTP client. */
const ending = (client: string, fetching: Fetching, answers: readonly Buffer[]): Run => async (t, { profile }) => {
  let next = answers[0]!
  const { origin } = await listen(
    t,
    net.createServer(socket => {
      socket.once('data', () => socket.end(next))
    })
  )
  const service = fork(join(import.meta.dirname, 'broken-answers-service.ts'), [t.testdir(), origin, profile, client], {
    execArgv: process.execArgv,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc']
  })
  t.teardown(() => service.kill('SIGKILL'))
  const ended = once(service, 'exit')
  const [started] = await once(service, 'message') as [Service]
  for (next of answers) {
    await fetching(started, `${origin}/cache/files/data/x_1/output.docx/output.docx`).catch(() => {})
    const isUp = await fetch(started.origin).then(() => true, () => false)
    if (isUp) continue
    await ended
    return true
  }
  return false
}

export const brokenAnswers: readonly AlwaysStopped[] = [
  {
    title: 'crashes the process with a compressed, truncated saved file',
    has: 'authentic callbacks; a server that answers with gzip',
    because: 'a stream that fails before it is read has an error listener, and its reader gets the error',
    startsProcesses: true,
    run: ending('default', saving, [empty, cut]),
    control: ending('unheard', saving, [empty])
  },
  {
    title: 'crashes the process with a compressed, truncated proxied file while a hook of the application waits',
    has: 'a file at the document server; a server that answers with gzip',
    because: 'a stream that fails before it is read has an error listener, and its reader gets the error',
    startsProcesses: true,
    run: ending('default', proxying, [empty, cut]),
    control: ending('unheard', proxying, [empty])
  },
  {
    title: 'crashes the process with a connection that closes before a hook of the application lets the answer be read',
    has: 'a file at the document server',
    because: 'the end of a connection is kept for the reader',
    startsProcesses: true,
    run: ending('default', proxying, [unread]),
    control: ending('connections of undici', proxying, [unread])
  }
]
