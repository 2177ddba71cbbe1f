import t from 'tap'
import type { FaultOptions } from 'onlyoffice-emulator'
import { startSaved } from '../saved-file.js'

const BUSY = { type: 'answer', status: 503 } as const

/** Statuses of so many calls, one after the other. */
async function statuses (url: string, calls: number): Promise<number[]> {
  const found: number[] = []
  for (let call = 0; call < calls; call++) {
    const response = await fetch(url)
    await response.arrayBuffer()
    found.push(response.status)
  }
  return found
}

const cases: ReadonlyArray<readonly [options: FaultOptions | undefined, expected: number[]]> = [
  [undefined, [503, 200, 200, 200, 200]],
  [{}, [503, 200, 200, 200, 200]],
  [{ times: 1 }, [503, 200, 200, 200, 200]],
  [{ times: 3 }, [503, 503, 503, 200, 200]],
  [{ times: Infinity }, [503, 503, 503, 503, 503]],
  [{ after: 2 }, [200, 200, 503, 200, 200]],
  [{ times: 2, after: 1 }, [200, 503, 503, 200, 200]],
  [{ times: Infinity, after: 4 }, [200, 200, 200, 200, 503]]
]

t.test('times and after select the calls that a fault applies to', async t => {
  const { server, url } = await startSaved(t)
  for (const [options, expected] of cases) {
    const takeBack = server.fault('file', BUSY, options)
    t.strictSame(await statuses(url, expected.length), expected, `${JSON.stringify(options)} ${options?.times}`)
    takeBack()
  }
})

t.test('a removed fault no longer applies, others do; removing it twice is harmless', async t => {
  const { server, url } = await startSaved(t)
  const takeBack = server.fault('file', BUSY, { times: 2 })
  server.fault('file', { type: 'answer', status: 404 })
  t.strictSame(await statuses(url, 1), [503])
  takeBack()
  takeBack()
  t.strictSame(await statuses(url, 2), [404, 200])
})

t.test('of several faults the first one applies; the others count the remaining calls', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'answer', status: 500 }, { after: 1 })
  server.fault('file', { type: 'answer', status: 404 }, { times: 2 })
  t.strictSame(await statuses(url, 4), [404, 500, 404, 200])
})

t.test('a fault with options that could never apply is refused', async t => {
  const { server, url } = await startSaved(t)
  const wrong: ReadonlyArray<readonly [route: string, fault: unknown, options?: unknown]> = [
    ['files', BUSY],
    ['toString', BUSY],
    ['file', undefined],
    ['file', null],
    ['file', 'stall'],
    ['file', { type: 'slow', ms: 1 }],
    ['file', { type: 'origin', origin: 'http://127.0.0.1:9' }],
    ['file', { type: 'stall', afterBytes: -1 }],
    ['file', { type: 'stall', bytes: 1 }],
    ['file', { type: 'reset', afterBytes: 1.5 }],
    ['file', { type: 'drip', bytes: 0 }],
    ['file', { type: 'drip', everyMs: -1 }],
    ['file', { type: 'length', by: 0 }],
    ['file', { type: 'length', by: NaN }],
    ['file', { type: 'answer' }],
    ['file', { type: 'answer', status: 99 }],
    ['file', { type: 'answer', status: 600 }],
    ['file', { type: 'answer', status: 200, body: { json: true } }],
    ['file', { type: 'html', status: '404' }],
    ['file', { type: 'delay' }],
    ['file', { type: 'delay', ms: Infinity }],
    ['converter', { type: 'origin', origin: 'http://127.0.0.1:9/' }],
    ['converter', { type: 'origin', origin: 'elsewhere' }],
    ['callback', { type: 'duplicate', times: 2 }],
    ['callback', { type: 'stall' }],
    ['assembly', { type: 'corrupted' }],
    ['assembly', { type: 'fail', corrupted: 'yes' }],
    ['conversion', { type: 'error', error: 0 }],
    ['conversion', { type: 'error', error: -11 }],
    ['conversion', { type: 'slow', ms: '5' }],
    ['file', BUSY, { times: 0 }],
    ['file', BUSY, { times: -1 }],
    ['file', BUSY, { times: 1.5 }],
    ['file', BUSY, { times: NaN }],
    ['file', BUSY, { after: -1 }],
    ['file', BUSY, { after: 0.5 }],
    ['file', BUSY, { after: Infinity }],
    ['file', BUSY, { time: 2 }]
  ]
  const fault = server.fault as (...given: unknown[]) => unknown
  for (const given of wrong) t.throws(() => fault(...given), TypeError, JSON.stringify(given))
  t.strictSame(await statuses(url, 1), [200])
})
