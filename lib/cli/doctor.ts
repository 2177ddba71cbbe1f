import { readFile, stat } from 'node:fs/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import type { DoctorOptions, DoctorReport } from '../../types/doctor.js'
import type { EditorOptions } from '../../types/options.js'
import { shown } from '../doctor/findings.js'
import { renderText } from '../doctor/render-text.js'
import { editor } from '../editor.js'
import { fileStorage } from '../storage/file-storage.js'
import { memoryStorage } from '../storage/memory-storage.js'
import { type DoctorCommand, type Listening, OPTION_OF, UsageError } from './options.js'

const DEFAULT_WIDTH = 80

/** Examines, and prints the report. Rejects with a `UsageError`, or with the reason of `signal`. */
export async function runDoctor (command: DoctorCommand, signal: AbortSignal): Promise<DoctorReport> {
  const { fileId, timeout, plugin: { publicBaseUrl }, listen, storageDirectory } = command
  const app = Fastify({ forceCloseConnections: true })
  try {
    await registerPlugin(app, command)
    const note = await listenFor(app, publicBaseUrl, listen)
    signal.throwIfAborted()
    await app.ready()
    process.stderr.write(`${note}\n`)
    const examined = await app.editorDoctor({ signal, fileId, timeout } as DoctorOptions)
    const report = storageDirectory === undefined ? withoutStorage(examined) : examined
    print(report, command)
    return report
  } finally {
    await app.close()
  }
}

/** An option that is `undefined` counts as not given. */
async function registerPlugin (
  app: FastifyInstance, { plugin, storageDirectory, caFile }: DoctorCommand
): Promise<void> {
  const tls = { ca: caFile === undefined ? undefined : await readCertificates(caFile) }
  if (storageDirectory !== undefined) {
    const found = await stat(storageDirectory).catch(unusable('--storage', storageDirectory))
    if (!found.isDirectory()) throw new UsageError(`--storage: ${storageDirectory} is not a directory`)
  }
  const storage = storageDirectory === undefined ? memoryStorage() : fileStorage({ directory: storageDirectory })
  try {
    await app.register(editor, { ...plugin, storage, tls } as EditorOptions)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'FST_EDITOR_INVALID_OPTION') throw error
    const [, name = '', rule = ''] = /^Option (\S+) (.*)$/s.exec(message) ?? []
    // there is no such option here
    throw new UsageError(`${OPTION_OF[name] ?? name} ${rule.replace(', or set allowWeakSecret', '')}`)
  }
}

async function readCertificates (path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(unusable('--ca', path))
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new UsageError(`--ca: ${path} contains no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----`)
}

function unusable (option: string, path: string) {
  return ({ code }: NodeJS.ErrnoException): never => {
    throw new UsageError(`${option}: cannot read ${path} (${code})`)
  }
}

/** Skips the storage checks: without --storage they would examine the memory of this process. */
function withoutStorage (report: DoctorReport): DoctorReport {
  const findings = report.findings.map(finding =>
    finding.code === 'STORAGE'
      ? { ...finding, status: 'skipped' as const, evidence: 'Not examined: there is no --storage.' }
      : finding
  )
  return { ...report, findings }
}

function print (report: DoctorReport, { json, noColor }: DoctorCommand): void {
  const { stdout, env } = process
  const color = hasColors(stdout, { noColor, environment: env })
  stdout.write(json
    ? `${JSON.stringify(report, null, 2)}\n`
    : `\n${renderText(report, { color, width: stdout.columns ?? DEFAULT_WIDTH })}`)
}

/** Hosts that can only be reached from this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const EVERY_INTERFACE = '::'

/**
 * Waits for the document server's requests where it sends them, or explains why the application itself is expected to
 * answer there. Resolves to one sentence for the user. Throws a `UsageError` if it cannot listen at the port that the
 * user named.
 */
async function listenFor (app: FastifyInstance, publicBaseUrl: string, listen: Listening): Promise<string> {
  const expected = `the application is expected to answer at ${shown(publicBaseUrl)}, with the same secret and path`
  if (listen === 'none') return `Not listening: ${expected}.`
  if (listen) {
    const { host = EVERY_INTERFACE, port } = listen
    try {
      return listeningAt(await listenOn(app, host, port))
    } catch (error) {
      throw new UsageError(`--listen: cannot listen on port ${port} of ${host}: ${reasonOf(error)}`)
    }
  }

  const { protocol, hostname, port: given } = new URL(publicBaseUrl)
  if (protocol === 'https:') {
    return `Not listening, because --public-base-url is https: ${expected}. Behind a reverse proxy, --listen waits at the port to which the proxy forwards.`
  }
  const port = Number(given || 80)
  const host = LOOPBACK.has(hostname) ? hostname.replace(/^\[|\]$/g, '') : EVERY_INTERFACE
  try {
    return listeningAt(await listenOn(app, host, port))
  } catch (error) {
    return `Not listening, because port ${port} cannot be used (${reasonOf(error)}): ${expected}.`
  }
}

async function listenOn (app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (host !== EVERY_INTERFACE || (error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error
    await app.listen({ host: '0.0.0.0', port })
  }
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : port // 0 means any free port
}

function listeningAt (port: number): string {
  return `Listening on port ${port} for requests of the document server.`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EACCES: 'no permission',
  EADDRNOTAVAIL: 'this machine does not have that IP address',
  ENOTFOUND: 'no such host'
}

function reasonOf (error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return reasons[code] ?? code
}

/**
 * Whether to print colors: never with the option or with NO_COLOR, always with FORCE_COLOR, and otherwise if the output
 * is a terminal that supports them.
 */
export function hasColors (
  stream: NodeJS.WriteStream,
  { noColor, environment }: { readonly noColor: boolean, readonly environment: NodeJS.ProcessEnv }
): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no } = environment
  if (noColor) return false
  if (force !== undefined) return force !== '0' && force !== 'false'
  return !no && stream.isTTY && stream.hasColors()
}
