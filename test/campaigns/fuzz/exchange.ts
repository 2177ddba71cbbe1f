import net from 'node:net'

export interface RawAnswer {
  readonly status: number
  header (name: string): string | undefined
  readonly body: Buffer
  readonly text: string
  /** The connection ended before the body did. */
  readonly isCut: boolean
}

interface Head {
  readonly status: number
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly end: number
}

const PATIENCE_MS = 10_000

/**
 * Sends bytes as they stand and resolves to the answer; rejects when there is none. Ends the connection then, whether
 * or not the other side would keep it.
 */
export function exchange (origin: string, request: Uint8Array, { method = 'GET' } = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = net.connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    const timer = setTimeout(
      () =>
        end(
          new Error(
            `no whole answer within ${PATIENCE_MS} ms, but ${JSON.stringify(received.toString('latin1').slice(0, 200))}`
          )
        ),
      PATIENCE_MS
    )
    const end = (outcome: Error | RawAnswer): void => {
      clearTimeout(timer)
      socket.destroy()
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    const tryToRead = (isOver: boolean): void => {
      const answer = read(received, method, isOver)
      if (answer) end(answer)
      else if (isOver) end(new Error(`the connection ended after ${JSON.stringify(received.toString('latin1').slice(0, 200))}`))
    }
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      tryToRead(false)
    })
    socket.on('error', () => {}) // what came before it may still be a whole answer
    socket.on('close', () => tryToRead(true))
    socket.write(request)
  })
}

function read (bytes: Buffer, method: string, isOver: boolean): RawAnswer | undefined {
  const head = readHead(bytes)
  if (!head) return undefined
  const { status, fields, end } = head
  if (status < 200) return read(bytes.subarray(end), method, isOver)
  const header = (name: string) => fields.find(([field]) => field === name)?.[1]
  const body = bodyOf(bytes.subarray(end), { header, isOver, none: method === 'HEAD' || status === 204 || status === 304 })
  if (!body && !isOver) return undefined
  return { status, header, body: body ?? Buffer.alloc(0), text: body?.toString('utf8') ?? '', isCut: !body }
}

function readHead (bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]
  if (!status) throw new Error(`no status line but ${JSON.stringify(first)}`)
  return {
    status: Number(status),
    fields: lines.map(
      line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]
    ),
    end: end + 4
  }
}

function bodyOf (rest: Buffer, { header, isOver, none }: { header (name: string): string | undefined, isOver: boolean, none: boolean }): Buffer | undefined {
  if (none) return Buffer.alloc(0)
  if (header('transfer-encoding') === 'chunked') return unchunked(rest)
  const length = header('content-length')
  if (length === undefined) return isOver ? rest : undefined
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined
}

function unchunked (bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (bytes.length < line + 4 + size) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 4 + size
  }
}
