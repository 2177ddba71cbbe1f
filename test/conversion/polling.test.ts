import type { RequestListener, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type EditorHttpClient, undiciClient } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { type ConversionAnswer, pending, PDF, ready, startConversionService } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'

async function startControl (t: Test, answer: ConversionAnswer, result?: RequestListener) {
  const service = await startConversionService(t, answer, result)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  return { service, host, control }
}

t.test('a conversion that is never ready rejects with a timeout error after exactly maxAttempts requests', async t => {
  const xml = '<?xml version="1.0" encoding="utf-8"?><FileResult><FileUrl/><FileType/><Percent>50</Percent><EndConvert>False</EndConvert></FileResult>'
  for (const answer of [pending, (response: ServerResponse) => response.end(xml)]) {
    for (const maxAttempts of [1, 2, 7]) {
      const { service, control } = await startControl(t, answer)
      await t.rejects(control.convertToPdf({ maxAttempts, delayMs: 0 }), {
        code: 'FST_EDITOR_CONVERSION_TIMEOUT',
        statusCode: 504,
        message: `The PDF conversion did not finish in the expected time (${maxAttempts} attempts)`
      })
      t.equal(service.conversions.length, maxAttempts)
      t.strictSame(service.downloads, [])
    }
  }
})

t.test('after the last attempt there is no delay', async t => {
  const { control } = await startControl(t, pending)
  await t.rejects(control.convertToPdf({ maxAttempts: 1, delayMs: 2 ** 31 - 1 }), { code: 'FST_EDITOR_CONVERSION_TIMEOUT' })
})

t.test('maxAttempts is 15 by default', async t => {
  const { service, control } = await startControl(t, pending)
  await t.rejects(control.convertToPdf({ delayMs: 1 }), { code: 'FST_EDITOR_CONVERSION_TIMEOUT' })
  t.equal(service.conversions.length, 15)
})

t.test('the delay between two attempts is 1000 ms by default', async t => {
  const arrivals: number[] = []
  const { control } = await startControl(t, (response, attempt, origin) => {
    arrivals.push(performance.now())
    ;(attempt === 1 ? pending : ready)(response, attempt, origin)
  })
  t.ok((await control.convertToPdf()).equals(PDF))
  t.ok(arrivals[1]! - arrivals[0]! >= 990, 'never sooner')
})

t.test('a result at the last attempt is returned', async t => {
  const { control } = await startControl(t, (response, attempt, origin) => (attempt < 3 ? pending : ready)(response, attempt, origin))
  t.ok((await control.convertToPdf({ maxAttempts: 3, delayMs: 0 })).equals(PDF))
})

t.test('maxAttempts and delayMs must be whole numbers', async t => {
  const { service, control } = await startControl(t, ready)
  for (const [name, value] of [
    ['maxAttempts', 0],
    ['maxAttempts', -1],
    ['maxAttempts', 1.5],
    ['maxAttempts', NaN],
    ['maxAttempts', Infinity],
    ['maxAttempts', '3'],
    ['delayMs', -1],
    ['delayMs', 0.5],
    ['delayMs', NaN],
    ['delayMs', null]
  ] as const) {
    await t.rejects(control.convertToPdf({ [name]: value } as object), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${name} must be a whole number`)
    })
  }
  t.strictSame(service.conversions, [])
})

t.test('an aborted signal rejects the conversion with its reason: before it starts, during a request, between attempts, and while the result is fetched', async t => {
  const reason = new Error('the user went on')
  await t.test('before', async t => {
    const { service, control } = await startControl(t, ready)
    t.equal(await control.convertToPdf({ signal: AbortSignal.abort(reason) }).catch(error => error), reason)
    t.strictSame(service.conversions, [])
  })
  await t.test('while asking', async t => {
    const asked = deferred()
    const closed = deferred()
    const { control } = await startControl(t, response => {
      response.once('close', () => closed.resolve())
      asked.resolve()
    })
    const controller = new AbortController()
    const pdf = control.convertToPdf({ signal: controller.signal })
    await Promise.race([asked.promise, pdf])
    controller.abort(reason)
    t.equal(await pdf.catch(error => error), reason)
    await closed.promise
  })
  await t.test('between attempts', async t => {
    const answered = deferred()
    const sound = undiciClient()
    t.teardown(() => sound.close?.())
    const httpClient: EditorHttpClient = {
      async request (request) {
        const response = await sound.request(request)
        response.body.once('close', () => answered.resolve())
        return response
      }
    }
    const service = await startConversionService(t, pending)
    const host = await startHost(t, { documentServerOrigin: service.origin, httpClient })
    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from('content'), 'a.docx')
    const controller = new AbortController()
    const pdf = control.convertToPdf({ signal: controller.signal, delayMs: 1_000_000 }).catch(error => error)
    await answered.promise
    for (let turn = 0; turn < 10; turn++) await setImmediate() // the answer is read, the pause begins
    controller.abort(reason)
    t.equal(await pdf, reason)
    t.equal(service.conversions.length, 1)
  })
  await t.test('while fetching', async t => {
    const fetching = deferred()
    const closed = deferred()
    const { control } = await startControl(t, ready, (_request, response) => {
      response.once('close', () => closed.resolve())
      response.write('%PDF-1.7 begun')
      fetching.resolve()
    })
    const controller = new AbortController()
    const pdf = control.convertToPdf({ signal: controller.signal })
    await Promise.race([fetching.promise, pdf])
    controller.abort(reason)
    t.equal(await pdf.catch(error => error), reason)
    await closed.promise
  })
})
