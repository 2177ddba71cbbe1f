import { metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const PREFIX = 'fastify-onlyoffice:'

/** Seconds. A save may take as long as `timeouts.total`, 5 minutes. */
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300]

/**
 * Fields with a fixed list of values, and the attributes that they become. A `fileId` is an attribute of spans only.
 */
const ATTRIBUTES = {
  outcome: 'onlyoffice.outcome',
  event: 'onlyoffice.event',
  status: 'onlyoffice.callback.status',
  kept: 'onlyoffice.kept',
  outputType: 'onlyoffice.output_type',
  httpStatus: 'http.response.status_code',
  code: 'error.type'
}

/** Outcomes of which somebody should hear. */
const FAILURES = new Set(['refused', 'unproven', 'failed', 'missing', 'lost'])

/**
 * Measures what fastify-onlyoffice does in this process, and makes a span of whatever takes time. The spans are
 * children of the span of the request, if a context manager is registered, as by `@opentelemetry/sdk-node`. Call it
 * when the SDK has been started; returns a function that ends it.
 * @param {object} [providers] By default those that the SDK has registered.
 * @param {import('@opentelemetry/api').MeterProvider} [providers.meterProvider]
 * @param {import('@opentelemetry/api').TracerProvider} [providers.tracerProvider]
 */
export function instrument (
  { meterProvider = metrics.getMeterProvider(), tracerProvider = trace.getTracerProvider() } = {}
) {
  const meter = meterProvider.getMeter('fastify-onlyoffice')
  const tracer = tracerProvider.getTracer('fastify-onlyoffice')
  const subscriptions = ['save', 'download', 'proxy', 'conversion', 'force-save', 'restore', 'recovery', 'session'].map(
    name => {
      const id = `onlyoffice.${name.replace('-', '_')}`
      // A histogram counts, too.
      const duration = meter.createHistogram(`${id}.duration`, {
        unit: 's',
        advice: { explicitBucketBoundaries: DURATIONS }
      })
      const size = meter.createHistogram(`${id}.size`, { unit: 'By' })
      const sessionEvents = name === 'session' ? meter.createCounter('onlyoffice.session.events') : undefined

      /** @type {(message: unknown) => void} */
      const handler = message => {
        const { fileId, bytes, durationMs, ...fields } = /** @type {Fields} */ (message)
        const attributes = attributesOf(fields)
        sessionEvents?.add(1, attributes)
        if (bytes !== undefined) size.record(bytes, attributes)
        if (durationMs === undefined) return
        duration.record(durationMs / 1000, attributes)

        const end = Date.now()
        const span = tracer.startSpan(id, {
          startTime: end - durationMs,
          attributes: { ...attributes, ...(fileId !== undefined && { 'onlyoffice.file_id': fileId }) }
        })
        if (FAILURES.has(fields.outcome)) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(end)
      }
      subscribe(PREFIX + name, handler)
      return { name, handler }
    }
  )
  return () => {
    for (const { name, handler } of subscriptions) unsubscribe(PREFIX + name, handler)
  }
}

/** @param {Record<string, any>} fields */
function attributesOf (fields) {
  return Object.fromEntries(
    Object.entries(ATTRIBUTES).filter(([field]) => field in fields).map((
      [field, attribute]
    ) => [attribute, fields[field]])
  )
}

/** @typedef {{ fileId?: string, bytes?: number, durationMs?: number, outcome: string }} Fields */
