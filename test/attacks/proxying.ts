import { HANDLER } from '../helpers/host.js'
import { startInside } from '../helpers/inside.js'
import { exchangeGet } from '../helpers/raw.js'
import type { StoppedByOptions } from './attack.js'
import { namedBy, startTarget, type Target } from './target.js'

const ANYONE = 'an HTTP client'
const RULES = { 'proxy.allow': 'only the document server\'s origins', allowPrivateAddresses: 'public addresses only' }
/** An address of the outside: no test gets there. */
const PUBLIC = '93.184.216.34'

/** Has the proxy connect to what it must not: all of the URLs lead there, or none. */
function connecting (title: string, urls: readonly string[], has = ANYONE): StoppedByOptions {
  return {
    title,
    has,
    stoppedBy: RULES,
    async run (t, options) {
      const target = await startTarget(t, options)
      const reaching = new Set<string>()
      for (const url of urls) {
        const before = target.elsewhere().length
        await proxied(target, url)
        if (target.elsewhere().length > before) reaching.add(url)
      }
      if (reaching.size > 0 && reaching.size < urls.length) throw new Error(`only some connect: ${[...reaching]}`)
      return reaching.size > 0
    }
  }
}

/** Has the proxy get a page of the inside. */
function reading (title: string, urlOf: (port: number, target: Target) => string, has = ANYONE): StoppedByOptions {
  return {
    title,
    has,
    stoppedBy: RULES,
    async run (t, options) {
      const inside = await startInside(t)
      const target = await startTarget(t, options)
      const body = await proxied(target, urlOf(inside.port, target))
      return inside.connections() > 0 && body === 'inside'
    }
  }
}

/** The host lets the proxy fetch any origin. */
function byName (title: string, addresses: (look: number) => readonly string[], has: string, how: string): StoppedByOptions {
  return {
    title,
    has,
    stoppedBy: { allowPrivateAddresses: how },
    async run (t, options) {
      const inside = await startInside(t)
      const names = await namedBy(t, { 'evil.test': addresses })
      const target = await startTarget(t, { ...names, ...options, proxy: { ...options.proxy, allow: 'any' } })
      for (let attempt = 0; attempt < 3; attempt++) await proxied(target, `http://evil.test:${inside.port}/`)
      // A connection to one of several addresses is not let begin here: `noWayOut` refuses them all when one is public.
      return inside.connections() > 0 || target.elsewhere().includes(`127.0.0.1:${inside.port}`)
    }
  }
}

async function proxied (target: Target, url: string): Promise<string> {
  const response = await fetch(target.handler({ action: 'proxy', url }))
  return await response.text()
}

export const proxying: readonly StoppedByOptions[] = [
  {
    title: 'hides behind the service: has it fetch from any site',
    has: ANYONE,
    stoppedBy: { 'proxy.allow': RULES['proxy.allow'] },
    async run (t, options) {
      const target = await startTarget(t, options)
      await proxied(target, `http://${PUBLIC}/`)
      return target.elsewhere().includes(`${PUBLIC}:80`)
    }
  },
  reading('reads a page of the service\'s own machine', port => `http://127.0.0.1:${port}/`),
  reading('reads it by the name localhost', port => `http://localhost:${port}/`),
  reading('reads it behind a user name that looks like an allowed host', port => `http://docs.example.com@127.0.0.1:${port}/`),
  reading('reads it by a redirect of the document server', (port, target) => `${target.documentServer.origin}/redirect?${encodeURIComponent(`http://127.0.0.1:${port}/`)}`, 'a way to have the document server redirect'),
  connecting('connects to a private address', ['http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.0.1/', 'http://100.64.0.1/']),
  connecting('asks the cloud\'s metadata service for credentials', ['http://169.254.169.254/latest/meta-data/', 'http://168.63.129.16/', 'http://[fd00:ec2::254]/']),
  connecting('writes an address of the inside as a number', ['http://2130706433:9/', 'http://0x7f.1:9/', 'http://017700000001:9/', 'http://127.1:9/', 'http://0:9/']),
  connecting('writes an address of the inside as IPv6', ['http://[::1]:9/', 'http://[::ffff:127.0.0.1]:9/', 'http://[::ffff:7f00:1]:9/', 'http://[::127.0.0.1]:9/', 'http://[64:ff9b::7f00:1]:9/', 'http://[2002:7f00:1::]:9/']),
  byName('reaches the inside by a name that leads there, where any origin is allowed', () => ['127.0.0.1'], 'a domain', 'what a name resolves to is looked at'),
  byName('reaches it by a name with an address of the inside among public ones', () => [PUBLIC, '127.0.0.1'], 'a domain', 'every address of a name is looked at'),
  byName('reaches it by a name that changes between two look-ups (rebinding)', look => [look === 1 ? PUBLIC : '127.0.0.1'], 'a domain', 'what was looked at is connected to'),
  {
    title: 'has the browser of a visitor fetch from the document server',
    has: 'a page of another origin that the visitor opens',
    stoppedBy: { 'proxy.crossOrigin': 'pages of the own origin only' },
    async run (t, options) {
      const target = await startTarget(t, options)
      const { documentServer } = target
      const query = new URLSearchParams({ action: 'proxy', url: `${documentServer.origin}/x` })
      await exchangeGet(t, target.origin, `${HANDLER}?${query}`, { Origin: 'https://foreign.example', 'Sec-Fetch-Site': 'cross-site' })
      return documentServer.requests.length > 0
    }
  }
]
