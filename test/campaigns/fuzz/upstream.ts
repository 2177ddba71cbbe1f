import type { ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { gzipSync } from 'node:zlib'
import { startUpstream, type Upstream } from '../../kit/http.js'

/** Begins and ends as every format does that documents are saved in. */
export const SAVED = 'PK\x03\x04 what the document server saved PK\x05\x06'

/** Of the answers of the upstream, and of nothing the service says itself. */
export const TYPE = 'text/x-upstream'

/** The document server, and a site the proxy may fetch. What it answers is in the path. */
export async function startFuzzedUpstream (t: Test): Promise<Upstream> {
  const gzipped = gzipSync(SAVED)
  return startUpstream(t, ({ url = '' }, response) => {
    answer(url, response)
  })

  function answer (url: string, response: ServerResponse): unknown {
    const [, kind, detail = ''] = url.replace(/^\/cache\/files(?=\/)/, '').split(/[/?#]/)
    const headers = { 'content-type': TYPE }
    if (kind === 'status') return response.writeHead(Math.min(Math.max(Number(detail) || 200, 200), 599), headers).end('upstream')
    if (kind === 'redirect') return response.writeHead(302, { location: decodeURIComponent(url.slice(url.indexOf('?to=') + 4)) }).end()
    if (kind === 'cut') return response.writeHead(200, { ...headers, 'content-length': '99' }).write('cut', () => response.destroy())
    if (kind === 'gzip') return response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipped)
    if (kind === 'empty') return response.writeHead(200, headers).end()
    if (kind === 'html') return response.writeHead(200, headers).end('<!doctype html><p>an error page')
    return response.writeHead(200, headers).end(SAVED)
  }
}
