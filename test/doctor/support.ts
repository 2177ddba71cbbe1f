import type { DocumentServer, DocumentServerOptions } from 'onlyoffice-emulator'
import type { Test } from 'tap'
import type { DoctorFinding, DoctorReport } from '../../lib/index.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { type Host, type HostOptions, startHost } from '../kit/host.js'
import { type ReverseProxy, type ReverseProxyOptions, startReverseProxy } from '../kit/http.js'

export const OTHER_SECRET = 'another-secret-of-the-tests-9876543210'

export interface SetUpOptions extends HostOptions {
  /** Further options of the document server. */
  readonly emulated?: Partial<DocumentServerOptions>
  /** In front of the document server. */
  readonly serverProxy?: ReverseProxyOptions
  /** In front of the application. */
  readonly publicProxy?: ReverseProxyOptions
  /** The path of publicBaseUrl at this proxy. */
  readonly basePath?: string
  /** Of publicBaseUrl at this proxy, whatever the proxy serves. */
  readonly scheme?: 'https'
}

export interface SetUp {
  readonly host: Host
  readonly documentServer: DocumentServer
  readonly serverProxy: ReverseProxy | undefined
  readonly publicProxy: ReverseProxy | undefined
}

/**
 * An application with the plugin and an emulated document server, each behind a reverse proxy if it has options for
 * one.
 */
export async function startSetUp (t: Test, { emulated, serverProxy, publicProxy, basePath = '', scheme, ...options }: SetUpOptions = {}): Promise<SetUp> {
  const atServer = serverProxy && await startReverseProxy(t, serverProxy)
  const atHost = publicProxy && await startReverseProxy(t, publicProxy)
  const documentServer = await startDocumentServer(t, emulated)
  atServer?.forwardTo(documentServer.url)
  const host = await startHost(t, {
    documentServerOrigin: atServer?.origin ?? documentServer.url,
    ...(atHost && { publicBaseUrl: (scheme ? atHost.origin.replace('http:', `${scheme}:`) : atHost.origin) + basePath }),
    ...options
  })
  atHost?.forwardTo(host.origin)
  return { host, documentServer, serverProxy: atServer, publicProxy: atHost }
}

export interface Expected {
  /** The codes of all errors and warnings. */
  readonly codes: readonly string[]
  /** Facts in the evidence of the first of them. */
  readonly evidence?: ReadonlyArray<RegExp | string>
  /** In its remedy. */
  readonly remedy?: RegExp
}

const CONFIDENTIAL = /eyJ[\w-]{8}|signature=|md5=|expires=|\?\w+=/

/** The report has exactly these faults, says what was seen and how to fix it, and contains nothing confidential. */
export function expectReport (t: Test, report: DoctorReport, { codes, evidence = [], remedy = /./ }: Expected): void {
  const faults = report.findings.filter(isFault)
  t.strictSame(faults.map(({ code }) => code), codes, 'the faults', { findings: report.findings })
  t.equal(report.healthy, !report.findings.some(({ status }) => status === 'error'), 'healthy: no error')
  const [first] = faults
  for (const fact of evidence) t.match(first?.evidence ?? '', fact, 'the evidence')
  if (first) t.match(first.remedy, remedy, 'the remedy')
  for (const { code, title, evidence, remedy } of report.findings) {
    t.ok(title.length > 3 && evidence.length > 10, `${code} has a title and evidence`)
    if (remedy !== undefined) t.ok(remedy.length > 20, `${code} has a remedy`)
  }
  const text = JSON.stringify(report)
  t.notMatch(text, CONFIDENTIAL, 'no token, signature or query')
  for (const secret of [SECRET, OTHER_SECRET]) t.notOk(text.includes(secret), 'no secret')
}

function isFault ({ status }: DoctorFinding): boolean {
  return status === 'error' || status === 'warning'
}

export function findingOf (report: DoctorReport, code: string): DoctorFinding | undefined {
  return report.findings.find(finding => finding.code === code)
}
