#!/usr/bin/env node
import { createRequire } from 'node:module'
import { styleText } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import type { DoctorReport } from '../../types/doctor.js'
import type { FastifyOnlyofficeOptions } from '../../types/options.js'
import { shown } from '../doctor/findings.js'
import { renderText } from '../doctor/render.js'
import editor from '../exports.js'
import { memoryStorage } from '../store/memory.js'
import { commandOf, type DoctorCommand, HELP, OPTION_OF, UsageError } from './options.js'

const VERSION: string = createRequire(import.meta.url)('fastify-onlyoffice/package.json').version

const [UNHEALTHY, BAD_USAGE, INTERRUPTED] = [1, 2, 130]
const STOP_WITHIN_MS = 5000

/** Hosts that can only be reached from this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const EVERY_INTERFACE = '::'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EACCES: 'no permission',
  EADDRNOTAVAIL: 'this machine does not have that IP address'
}

// A reader of the output, such as head, may stop: that must not end the process before it has cleaned up.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The listeners stay: Ctrl-C under npx arrives twice, and the second must not end the process early.
  process.on(signal, () => {
    interruption.abort(new Error('interrupted'))
    setTimeout(() => process.exit(INTERRUPTED), STOP_WITHIN_MS).unref()
  })
}

try {
  const command = commandOf(process.argv.slice(2), process.env)
  switch (command.type) {
    case 'help':
      process.stdout.write(HELP)
      break
    case 'version':
      process.stdout.write(`${VERSION}\n`)
      break
    case 'doctor': {
      const { healthy } = await runDoctor(command, interruption.signal)
      process.exitCode = healthy ? 0 : UNHEALTHY
    }
  }
} catch (error) {
  if (interruption.signal.aborted) {
    process.stderr.write('fastify-onlyoffice: interrupted\n')
    process.exitCode = INTERRUPTED
  } else if (error instanceof UsageError) {
    process.stderr.write(`fastify-onlyoffice: ${error.message}\nTry npx fastify-onlyoffice --help\n`)
    process.exitCode = BAD_USAGE
  } else {
    throw error
  }
}

/** Examines, and prints the report. Rejects with a `UsageError`, or with the reason of `signal`. */
async function runDoctor (command: DoctorCommand, signal: AbortSignal): Promise<DoctorReport> {
  const { plugin, port, json } = command
  const app = Fastify({ forceCloseConnections: true })
  try {
    await registerPlugin(app, plugin)
    const note = await listenFor(app, plugin.publicBaseUrl, port)
    signal.throwIfAborted()
    await app.ready()
    process.stderr.write(`${note}\n`)
    const report = withoutStorage(await app.editorDoctor({ signal }))
    // styleText knows whether the terminal has colors, NO_COLOR and FORCE_COLOR.
    process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `\n${renderText(report, styleText)}`)
    return report
  } finally {
    await app.close()
  }
}

/** An option that is `undefined` counts as not given. */
async function registerPlugin (app: FastifyInstance, options: DoctorCommand['plugin']): Promise<void> {
  try {
    // This process is no instance of the application.
    const { readStaged, ...storage } = memoryStorage()
    await app.register(editor, { ...options, storage } as FastifyOnlyofficeOptions)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'FST_EDITOR_INVALID_OPTION') throw error
    const [, name = '', rule = ''] = /^Option (\S+) (.*)$/s.exec(message) ?? []
    // there is no such option here
    throw new UsageError(`${OPTION_OF[name] ?? name} ${rule.replace(', or set allowWeakSecret', '')}`)
  }
}

/** Skips the storage checks: they have examined the memory of this process. */
function withoutStorage (report: DoctorReport): DoctorReport {
  const evidence = 'Not examined: only the application has its storage. There app.editorDoctor() examines it.'
  const findings = report.findings.map(finding =>
    finding.code === 'STORAGE' ? { ...finding, status: 'skipped' as const, evidence } : finding
  )
  return { ...report, findings }
}

/**
 * Waits for the document server's requests where it sends them, or explains why the application itself is expected to
 * answer there. Resolves to one sentence for the user.
 */
async function listenFor (app: FastifyInstance, publicBaseUrl: string, given: number | undefined): Promise<string> {
  const { protocol, hostname, port: ofUrl } = new URL(publicBaseUrl)
  const expected = `the application is expected to answer at ${shown(publicBaseUrl)}, with the same secret and path`
  if (protocol === 'https:' && given === undefined) {
    return `Not listening, because PUBLIC_BASE_URL is https: ${expected}. Otherwise set PORT to the port to which the reverse proxy forwards.`
  }
  const port = given ?? Number(ofUrl || 80)
  const host = LOOPBACK.has(hostname) ? hostname.replace(/^\[|\]$/g, '') : EVERY_INTERFACE
  try {
    await listenOn(app, host, port)
    return `Listening on port ${port} for requests of the document server.`
  } catch (error) {
    return `Not listening, because port ${port} cannot be used (${reasonOf(error)}): ${expected}.`
  }
}

async function listenOn (app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (host !== EVERY_INTERFACE || (error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error
    await app.listen({ host: '0.0.0.0', port })
  }
}

function reasonOf (error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return reasons[code] ?? code
}
