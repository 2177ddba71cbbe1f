import https from 'node:https'
import type { Test } from 'tap'
import { createAuthority, createCertificate } from '../../kit/network.js'
import { listen } from '../../kit/http.js'
import type { StoppedByOptions } from './attack.js'
import { EVIL, startTarget } from './target.js'

const authority = createAuthority()

async function startBetween (t: Test, options: https.ServerOptions): Promise<string> {
  const { port } = await listen(t, https.createServer(options, (_request, response) => { response.end(EVIL) }))
  return `https://127.0.0.1:${port}`
}

function inTheMiddle (title: string, has: string, stoppedBy: StoppedByOptions['stoppedBy'], server: https.ServerOptions): StoppedByOptions {
  return {
    title,
    has,
    stoppedBy,
    async run (t, options) {
      const between = await startBetween(t, server)
      const target = await startTarget(t, { ...options, documentServerOrigin: between, tls: { ca: authority.cert, ...options.tls } })
      await target.saveFrom(`${between}/saved`)
      return await target.isReplaced()
    }
  }
}

const VERIFIED = { 'tls.rejectUnauthorized': 'certificates are verified' }

export const tls: readonly StoppedByOptions[] = [
  inTheMiddle(
    'impersonates the document server with a certificate of their own',
    'a position in the network between',
    VERIFIED,
    createCertificate()
  ),
  inTheMiddle(
    'impersonates the document server with a certificate for another name',
    'a position in the network between; a certificate for a name of their own',
    VERIFIED,
    createCertificate({ issuer: authority, names: ['evil.example'] })
  ),
  inTheMiddle(
    'impersonates the document server with an expired certificate',
    'a position in the network between; an old key of the document server',
    VERIFIED,
    createCertificate({ issuer: authority, expired: true })
  ),
  inTheMiddle('downgrades the connection to TLS 1.0', 'a position in the network between', {
    'tls.minVersion': 'TLS 1.2 or later'
  }, {
    ...createCertificate({ issuer: authority }),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0'
  })
]
