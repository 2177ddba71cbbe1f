import https from 'node:https'
import type { Test } from 'tap'
import { createAuthority, createCertificate } from '../helpers/certificates.js'
import { listen } from '../helpers/listen.js'
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
  inTheMiddle('stands in for the document server with a certificate of their own', 'the network in between', VERIFIED, createCertificate()),
  inTheMiddle('stands in for it with a certificate for another name', 'the network in between; a certificate for a name of their own', VERIFIED, createCertificate({ issuer: authority, names: ['evil.example'] })),
  inTheMiddle('stands in for it with a certificate that has expired', 'the network in between; an old key of the document server', VERIFIED, createCertificate({ issuer: authority, expired: true })),
  inTheMiddle('brings the connection down to TLS 1.0', 'the network in between', { 'tls.minVersion': 'TLS 1.2 or later' },
    { ...createCertificate({ issuer: authority }), minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })
]
