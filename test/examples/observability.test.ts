import {
  AggregationTemporality, type DataPoint, type Histogram, InMemoryMetricExporter, MeterProvider,
  PeriodicExportingMetricReader
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { SpanStatusCode } from '@opentelemetry/api'
import Fastify from 'fastify'
import { channel } from 'node:diagnostics_channel'
import t, { type Test } from 'tap'
import { instrument } from '../../examples/observability/opentelemetry.js'
import { prometheus } from '../../examples/observability/prometheus.js'
import { collect } from '../kit/log.js'
import { OLD, type Service, startService } from '../kit/sessions.js'

const NEW = 'what was edited'
const CHANNELS = ['save', 'download', 'proxy', 'conversion', 'force-save', 'restore', 'recovery', 'session']

/** Opens, edits and closes the document; the save of a second session cannot be fetched. */
async function editTwice (t: Test, { open, documentServer }: Service): Promise<void> {
  await t.test('a save, and one that is refused', async t => {
    const [saves, downloads, sessions] = [collect(t, 'save'), collect(t, 'download'), collect(t, 'session')]
    for (const accepted of [true, false]) {
      const session = await open()
      await session.edit(accepted ? NEW : 'what is refused')
      if (!accepted) documentServer.fault('file', { type: 'reset' })
      t.match(await session.close(), { accepted })
    }
    await Promise.all([saves.until(2), downloads.until(2), sessions.until(4)])
  })
}

async function convert (t: Test, { app, fileId }: Service): Promise<void> {
  await t.test('a conversion, for which the document is downloaded', async t => {
    const downloads = collect(t, 'download')
    const control = await app.editorControl().openDocument(fileId)
    await control.convertToPdf({ delayMs: 10, maxAttempts: 1000 })
    await downloads.until(1)
  })
}

t.test('Prometheus example: after a save, a refused save and downloads, GET /metrics says so', async t => {
  const service = await startService(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(prometheus)
  await editTwice(t, service)
  await convert(t, service)
  await (await service.proxied('http://elsewhere.invalid/')).text()

  const { statusCode, headers, body } = await app.inject('/metrics')
  t.equal(statusCode, 200)
  t.match(headers['content-type'], /^text\/plain/)
  const values = new Map(
    body.split('\n').filter(line => line !== '' && !line.startsWith('#')).map(
      line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]
    )
  )
  const expected: Record<string, number> = {
    'onlyoffice_saves_total{outcome="stored",status="2",code=""}': 1,
    'onlyoffice_saves_total{outcome="refused",status="2",code="FST_EDITOR_UPSTREAM"}': 1,
    'onlyoffice_save_duration_seconds_count{outcome="stored"}': 1,
    'onlyoffice_save_duration_seconds_bucket{le="300",outcome="refused"}': 1,
    onlyoffice_saved_bytes_total: NEW.length,
    'onlyoffice_responses_total{action="download",outcome="sent",http_status="200",code=""}': 3,
    'onlyoffice_response_duration_seconds_count{action="download",outcome="sent"}': 3,
    'onlyoffice_response_bytes_total{action="download"}': OLD.length + 2 * NEW.length,
    'onlyoffice_responses_total{action="proxy",outcome="failed",http_status="403",code="FST_EDITOR_ADDRESS_BLOCKED"}': 1,
    'onlyoffice_sessions_total{event="started",outcome=""}': 2,
    'onlyoffice_sessions_total{event="ended",outcome="saved"}': 1,
    'onlyoffice_sessions_total{event="ended",outcome="refused"}': 1,
    'onlyoffice_session_duration_seconds_count{outcome="saved"}': 1
  }
  for (const [name, value] of Object.entries(expected)) t.equal(values.get(name), value, name)
  t.ok([...values.keys()].some(name => name.startsWith('onlyoffice_conversions_total')))
  t.notMatch(body, service.fileId, 'no document is named')

  await app.close()
  for (const name of CHANNELS) t.notOk(channel(`fastify-onlyoffice:${name}`).hasSubscribers, `${name}: nobody listens any more`)
})

t.test('OpenTelemetry example: after a save, a refused save and downloads, metrics and spans say so', async t => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meterProvider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 60_000 })] })
  t.teardown(() => meterProvider.shutdown())
  const spanExporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] })
  t.teardown(() => tracerProvider.shutdown())
  const service = await startService(t)
  const stop = instrument({ meterProvider, tracerProvider })
  const started = Date.now()
  await editTwice(t, service)
  stop()
  t.notOk(channel('fastify-onlyoffice:conversion').hasSubscribers, 'nobody listens any more')

  await meterProvider.forceFlush()
  const points = new Map(
    metricExporter.getMetrics().at(-1)!.scopeMetrics.flatMap(({ metrics }) => metrics).map((
      { descriptor, dataPoints }
    ) => [descriptor.name, { unit: descriptor.unit, dataPoints: dataPoints as ReadonlyArray<DataPoint<Histogram>> }])
  )
  const find = (name: string, outcome: string) =>
    points.get(name)?.dataPoints.find(({ attributes }) => attributes['onlyoffice.outcome'] === outcome)
  t.equal(points.get('onlyoffice.save.duration')!.unit, 's')
  t.match(find('onlyoffice.save.duration', 'stored'), {
    attributes: { 'onlyoffice.callback.status': 2 },
    value: { count: 1 }
  })
  t.match(find('onlyoffice.save.duration', 'refused'), {
    attributes: { 'onlyoffice.callback.status': 2, 'error.type': 'FST_EDITOR_UPSTREAM' },
    value: { count: 1 }
  })
  t.match(find('onlyoffice.save.size', 'stored'), { value: { count: 1, sum: NEW.length } })
  t.match(find('onlyoffice.download.size', 'sent'), { attributes: { 'http.response.status_code': 200 }, value: { count: 2, sum: OLD.length + NEW.length } })
  t.equal(points.get('onlyoffice.session.events')!.dataPoints.length, 3, 'started, saved, refused')

  const spans = spanExporter.getFinishedSpans().filter(({ name }) => name === 'onlyoffice.save')
  t.match(spans.map(({ status, attributes }) => [status.code, attributes['onlyoffice.outcome'], attributes['onlyoffice.file_id']]), [
    [SpanStatusCode.UNSET, 'stored', service.fileId],
    [SpanStatusCode.ERROR, 'refused', service.fileId]
  ])
  for (const { startTime: [seconds], duration: [, nanoseconds] } of spans) {
    t.ok(seconds >= Math.floor(started / 1000) && seconds <= Date.now() / 1000)
    t.ok(nanoseconds > 0)
  }
})
