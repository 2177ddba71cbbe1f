import dns from 'node:dns'
import net, { type LookupFunction } from 'node:net'
import type { Test } from 'tap'

interface ConnectOptions {
  readonly host?: string
  readonly port?: number
  readonly path?: string
  readonly lookup?: LookupFunction
}

/**
 * Until the test ends no connection of this process leaves loopback: another address refuses it. Returns the list in
 * which every address is noted that a connection was begun to, as `address:port`. A name is resolved as it would have
 * been.
 */
export function noWayOut (t: Test): string[] {
  const begun: string[] = []
  const connect = net.Socket.prototype.connect
  t.teardown(() => { net.Socket.prototype.connect = connect })

  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const [first, second] = Array.isArray(args[0]) ? args[0] : args // an array when `net.connect` calls it
    const options: ConnectOptions = typeof first === 'object' ? first : { port: Number(first), host: typeof second === 'string' ? second : 'localhost' }
    const listener = args.concat(args[0]).find(value => typeof value === 'function') ?? second
    const { host = 'localhost', port, path, lookup = dns.lookup } = options
    const proceed = (changed: object) => Reflect.apply(connect, this, [{ ...options, ...changed }, ...(typeof listener === 'function' ? [listener] : [])])
    if (path) return proceed({})
    if (net.isIP(host) === 0) return proceed({ lookup: loopbackOnly(lookup, address => begun.push(`${address}:${port}`)) })
    begun.push(`${host}:${port}`)
    if (isLoopback(host)) return proceed({})
    this.destroy(refused())
    return this
  } as typeof connect
  return begun
}

function loopbackOnly (lookup: LookupFunction, note: (address: string) => void): LookupFunction {
  return (hostname, options, callback) => lookup(hostname, options, (error, answer, family) => {
    if (error) return callback(error, answer, family)
    const addresses = typeof answer === 'string' ? [answer] : answer.map(({ address }) => address)
    addresses.forEach(note)
    if (addresses.every(isLoopback)) callback(null, answer, family)
    else callback(refused(), [])
  })
}

function isLoopback (address: string): boolean {
  return /^(?:127\.|::1$|::ffff:127\.)/.test(address)
}

function refused (): Error {
  return Object.assign(new Error('no way out'), { code: 'ECONNREFUSED' })
}
