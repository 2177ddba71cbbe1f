import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Counter, Histogram, Registry } from 'prom-client'

/** Seconds. A save may take as long as `timeouts.total`, 5 minutes. */
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300]

/**
 * A Fastify plugin that counts what fastify-onlyoffice does in this process, and answers Prometheus at `GET /metrics`.
 * Register it with an application that only Prometheus can reach.
 * @param {import('fastify').FastifyInstance} app
 */
export async function prometheus (app) {
  const { registry, handlers } = createMetrics()
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
  for (const [channel, handler] of handlers) subscribe(channel, handler)
  app.addHook('onClose', async () => {
    for (const [channel, handler] of handlers) unsubscribe(channel, handler)
  })
}

/**
 * A label without a value is the same as none. No label has a `fileId`: there would be a time series for each document.
 */
function createMetrics () {
  const registry = new Registry()
  const registers = [registry]
  /** @type {(name: string, help: string, labelNames: string[]) => Counter} */
  const counter = (name, help, labelNames) =>
    new Counter({ name: `onlyoffice_${name}_total`, help, labelNames, registers })
  /** @type {(name: string, help: string, labelNames: string[]) => Histogram} */
  const seconds = (name, help, labelNames) =>
    new Histogram({ name: `onlyoffice_${name}_seconds`, help, labelNames, buckets: DURATIONS, registers })

  const saves = counter('saves', 'Saves, and callbacks that were refused', ['outcome', 'status', 'code'])
  const saveSeconds = seconds('save_duration', 'From the arrival of a callback to its answer', ['outcome'])
  const savedBytes = counter('saved_bytes', 'Bytes of the files that were saved', [])
  const responses = counter('responses', 'Downloads of documents, and requests to the proxy', [
    'action',
    'outcome',
    'http_status',
    'code'
  ])
  const responseSeconds = seconds('response_duration', 'From the arrival of a request to the end of its response', [
    'action',
    'outcome'
  ])
  const responseBytes = counter('response_bytes', 'Bytes of their bodies', ['action'])
  const conversions = counter('conversions', 'Conversions', ['outcome', 'output_type', 'code'])
  const conversionSeconds = seconds('conversion_duration', 'Until the result of a conversion can be read', ['outcome'])
  const forceSaves = counter('force_saves', 'Calls of forceSave()', ['outcome', 'code'])
  const restores = counter('restores', 'Calls of restore()', ['outcome', 'code'])
  const recoveries = counter('forgotten_files', 'Forgotten files that recoverForgotten() examined', [
    'outcome',
    'kept',
    'code'
  ])
  const sessions = counter('sessions', 'Sessions that started or ended', ['event', 'outcome'])
  const sessionSeconds = seconds('session_duration', 'How long sessions lasted that this process saw begin', [
    'outcome'
  ])

  /** @type {(action: string) => (message: import('fastify-onlyoffice').DownloadMessage) => void} */
  const response = action => ({ outcome, httpStatus = '', code = '', bytes = 0, durationMs }) => {
    responses.inc({ action, outcome, http_status: httpStatus, code })
    responseSeconds.observe({ action, outcome }, durationMs / 1000)
    responseBytes.inc({ action }, bytes)
  }

  /** @type {{ [Channel in keyof Messages]: (message: Messages[Channel]) => void }} */
  const handlers = {
    'fastify-onlyoffice:save' ({ outcome, status = '', code = '', bytes = 0, durationMs }) {
      saves.inc({ outcome, status, code })
      saveSeconds.observe({ outcome }, durationMs / 1000)
      savedBytes.inc(bytes)
    },
    'fastify-onlyoffice:download': response('download'),
    'fastify-onlyoffice:proxy': response('proxy'),
    'fastify-onlyoffice:conversion' ({ outcome, outputType, code = '', durationMs }) {
      conversions.inc({ outcome, output_type: outputType, code })
      conversionSeconds.observe({ outcome }, durationMs / 1000)
    },
    'fastify-onlyoffice:force-save' ({ outcome, code = '' }) {
      forceSaves.inc({ outcome, code })
    },
    'fastify-onlyoffice:restore' ({ outcome, code = '' }) {
      restores.inc({ outcome, code })
    },
    'fastify-onlyoffice:recovery' ({ outcome, kept, code = '' }) {
      recoveries.inc({ outcome, kept: String(kept), code })
    },
    'fastify-onlyoffice:session' (message) {
      const outcome = message.event === 'ended' ? message.outcome : ''
      sessions.inc({ event: message.event, outcome })
      if (message.event === 'ended' && message.durationMs !== undefined) {
        sessionSeconds.observe({ outcome }, message.durationMs / 1000)
      }
    }
  }
  return {
    registry,
    handlers:
    /** @type {Array<[string, import('node:diagnostics_channel').ChannelListener]>} */ (Object.entries(handlers))
  }
}

/** @typedef {import('fastify-onlyoffice').DiagnosticsMessages} Messages */
