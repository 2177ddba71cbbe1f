import Fastify, { type FastifyInstance } from 'fastify'
import { readFile, stat } from 'node:fs/promises'
import type { DoctorReport } from '../../types/doctor.js'
import { renderText } from '../doctor/render-text.js'
import { editor } from '../editor.js'
import { fileStorage } from '../storage/file-storage.js'
import { memoryStorage } from '../storage/memory-storage.js'
import { hasColors } from './colors.js'
import { listenFor } from './listening.js'
import { type DoctorCommand, OPTION_OF, UsageError } from './options.js'

const DEFAULT_WIDTH = 80

/** Examines, and prints the report. Rejects with a `UsageError`, or with the reason of `signal`. */
export async function runDoctor (command: DoctorCommand, { signal }: { readonly signal: AbortSignal }): Promise<DoctorReport> {
  const app = Fastify({ forceCloseConnections: true })
  try {
    await registerPlugin(app, command)
    const note = await listenFor(app, command.plugin.publicBaseUrl, command.listen)
    signal.throwIfAborted()
    await app.ready()
    process.stderr.write(`${note}\n`)
    const { fileId, timeout } = command
    const examined = await app.editorDoctor({ signal, ...(fileId !== undefined && { fileId }), ...(timeout !== undefined && { timeout }) })
    const report = command.storageDirectory === undefined ? withoutStorage(examined) : examined
    print(report, command)
    return report
  } finally {
    await app.close()
  }
}

async function registerPlugin (app: FastifyInstance, { plugin, storageDirectory, caFile }: DoctorCommand): Promise<void> {
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8').catch(error => { throw unusable('--ca', caFile, error) })
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`--ca: ${caFile} contains no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----`)
  if (storageDirectory !== undefined) await assertDirectory(storageDirectory)
  const storage = storageDirectory === undefined ? memoryStorage() : fileStorage({ directory: storageDirectory })
  try {
    await app.register(editor, { ...plugin, storage, ...(ca !== undefined && { tls: { ca } }) })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'FST_EDITOR_INVALID_OPTION') throw error
    const [, name = '', rule = ''] = /^Option (\S+) (.*)$/s.exec(message) ?? []
    throw new UsageError(`${OPTION_OF[name] ?? name} ${rule.replace(', or set allowWeakSecret', '')}`) // there is no such option here
  }
}

async function assertDirectory (path: string): Promise<void> {
  const found = await stat(path).catch(error => { throw unusable('--storage', path, error) })
  if (!found.isDirectory()) throw new UsageError(`--storage: ${path} is not a directory`)
}

function unusable (option: string, path: string, { code }: NodeJS.ErrnoException): UsageError {
  return new UsageError(`${option}: cannot read ${path} (${code})`)
}

/** What was examined is the memory of this process. */
function withoutStorage (report: DoctorReport): DoctorReport {
  const findings = report.findings.map(finding => finding.code === 'STORAGE' ? { ...finding, status: 'skipped' as const, evidence: 'Not examined: there is no --storage.' } : finding)
  return { ...report, findings }
}

function print (report: DoctorReport, { json, noColor }: DoctorCommand): void {
  const { stdout, env } = process
  const text = json
    ? `${JSON.stringify(report, null, 2)}\n`
    : `\n${renderText(report, { color: hasColors(stdout, { noColor, environment: env }), width: stdout.columns ?? DEFAULT_WIDTH })}`
  stdout.write(text)
}
