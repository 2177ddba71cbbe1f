import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { SessionParts } from '../sessions/parts.js'
import type { LatestRequests } from './latest-requests.js'
import { type Settings, statusPage } from './page.js'
import { SCRIPT } from './script.js'
import { STYLE } from './style.js'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sourceOf(STYLE)}`,
  `script-src ${sourceOf(SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** Allows exactly this text in a content security policy. */
function sourceOf (text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

interface Parts {
  readonly parts: SessionParts
  readonly latest: LatestRequests
  readonly settings: () => Settings
}

/** The status page at `/`. */
export function statusRoute (app: FastifyInstance, { parts, latest, settings }: Parts): void {
  app.get('/', async (request, reply) => {
    reply.type('text/html; charset=utf-8').headers({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff'
    })
    return await reply.send(statusPage(settings(), parts, latest))
  })
}
