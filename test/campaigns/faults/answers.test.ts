import t from 'tap'
import { fakeClock, type FaultOptions, type Faults } from 'onlyoffice-emulator'
import { postSigned } from '../../../emulator/test/support.js'
import { afterAnotherAnswer, CONTENT, expectRight, rawGet, startSaved } from './saved-file.js'

// What the emulated document server answers where a test has asked for a fault.

const BUSY = { type: 'answer', status: 503, body: 'busy' } as const

t.test('answer: replaces status, body and headers; none of the original headers is sent', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'answer', status: 507, body: 'no room', headers: { 'x-reason': 'disk', 'content-type': 'text/x-reason' } })
  const response = await fetch(url)
  t.equal(response.status, 507)
  t.equal(await response.text(), 'no room')
  t.equal(response.headers.get('x-reason'), 'disk')
  t.equal(response.headers.get('content-type'), 'text/x-reason')
  t.equal(response.headers.get('content-length'), '7')
  t.equal(response.headers.get('content-disposition'), null)
  t.match(server.receivedRequests.at(-1), { status: 507, answer: 'no room' })
  await expectRight(t, url)

  server.fault('file', { type: 'answer', status: 204 })
  const empty = await fetch(url)
  t.strictSame([empty.status, await empty.text()], [204, ''])
})

t.test('html: a complete error page is sent instead of the document', async t => {
  const { server, url } = await startSaved(t)
  for (const status of [200, 502]) {
    server.fault('file', { type: 'html', status })
    const response = await fetch(url)
    t.equal(response.status, status)
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    const page = await response.text()
    t.match(page, /^<!DOCTYPE html>.*<\/html>$/s)
    t.equal(response.headers.get('content-length'), String(page.length))
  }
  await expectRight(t, url)
})

const length = CONTENT.length
const wires: ReadonlyArray<readonly [fault: Faults['file'], announced: number, sent: number, ending: string | null]> = [
  [{ type: 'reset', afterBytes: 17 }, length, 17, 'ECONNRESET'],
  [{ type: 'length', by: -20 }, length - 20, length, 'closed'],
  [{ type: 'length', by: 7 }, length + 7, length, 'closed'],
  [{ type: 'length', by: -1000 }, 0, length, 'closed'],
  [{ type: 'stall', afterBytes: 7 }, length, 7, null],
  [{ type: 'stall' }, length, 0, null]
]

for (const [fault, announced, sent, ending] of wires) {
  t.test(`${JSON.stringify(fault)}: announces ${announced} bytes, sends ${sent}, then the connection is ${ending ?? 'left open'}`, async t => {
    const { server, clock, url } = await startSaved(t)
    server.fault('file', fault)
    const get = rawGet(t, url)
    await get.bodyOf(sent)
    if (ending === null) {
      await clock.advance(60_000)
      await afterAnotherAnswer(server)
      t.equal(get.ending(), null)
    } else {
      t.equal(await get.ended(), ending)
    }
    t.match(get.head(), /^HTTP\/1\.1 200 OK\r\n/)
    t.equal(get.header('content-length'), String(announced))
    t.equal(get.body(), CONTENT.slice(0, sent))
    await expectRight(t, url)
    if (ending !== null) return
    await server.close()
    t.equal(await get.ended(), 'closed', 'closing the server ends the connection')
  })
}

t.test('delay: nothing arrives before the delay has passed, then the real answer does', async t => {
  const { server, clock, url } = await startSaved(t)
  server.fault('file', { type: 'delay', ms: 90_000 })
  const get = rawGet(t, url)
  await afterAnotherAnswer(server)
  await clock.advance(89_999)
  await afterAnotherAnswer(server)
  t.equal(get.head(), '')
  await clock.advance(1)
  t.equal(await get.bodyOf(length), CONTENT)
})

t.test('drip: chunks of the given size arrive at the given interval, the first at once', async t => {
  const { server, clock, url } = await startSaved(t)
  server.fault('file', { type: 'drip', bytes: 10, everyMs: 500 })
  const get = rawGet(t, url)
  t.equal(await get.bodyOf(1), CONTENT.slice(0, 10))
  for (const sent of [20, 30, 40, length]) {
    await clock.advance(499)
    await afterAnotherAnswer(server)
    t.equal(get.body().length, sent === length ? 40 : sent - 10, 'nothing before its time')
    await clock.advance(1)
    t.equal(await get.bodyOf(sent), CONTENT.slice(0, sent))
  }
  await expectRight(t, url)
})

for (const [fault, ms] of [[{ type: 'delay', ms: 120_000 }, 120_000], [{ type: 'drip', bytes: 1, everyMs: 60_000 }, 9 * 60_000]] as const) {
  t.test(`${fault.type}: the clock advances while the application waits for a file before it answers`, async t => {
    const clock = fakeClock({ autoAdvance: true })
    const { host, server, session } = await startSaved(t, { clock })
    let fetched = ''
    host.beforeAnswer = async ({ url }) => { if (url !== undefined) fetched = await (await fetch(String(url))).text() }
    server.fault('file', fault)
    const before = clock.now()
    await session.edit('0123456789')
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(fetched, '0123456789')
    t.equal(clock.now() - before, ms)
  })
}

const selections: ReadonlyArray<readonly [options: FaultOptions | undefined, expected: number[]]> = [
  [undefined, [503, 200, 200, 200, 200]],
  [{ times: 3 }, [503, 503, 503, 200, 200]],
  [{ times: Infinity }, [503, 503, 503, 503, 503]],
  [{ times: 2, after: 1 }, [200, 503, 503, 200, 200]]
]

t.test('times and after select the calls that a fault applies to, and a removed fault no longer applies', async t => {
  const { server, url } = await startSaved(t)
  const status = async () => {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status
  }
  for (const [options, expected] of selections) {
    const takeBack = server.fault('file', BUSY, options)
    const found: number[] = []
    while (found.length < expected.length) found.push(await status())
    t.strictSame(found, expected, `${JSON.stringify(options)} ${options?.times}`)
    takeBack()
    takeBack()
  }
  server.fault('file', { type: 'answer', status: 500 }, { after: 1 })
  server.fault('file', { type: 'answer', status: 404 }, { times: 2 })
  t.strictSame([await status(), await status(), await status(), await status()], [404, 500, 404, 200], 'of several the first applies')
})

t.test('a fault that could never apply is refused', async t => {
  const { server } = await startSaved(t)
  const wrong: ReadonlyArray<readonly [route: string, fault: unknown, options?: unknown]> = [
    ['toString', BUSY],
    ['file', null],
    ['file', { type: 'slow', ms: 1 }],
    ['file', { type: 'stall', afterBytes: '1' }],
    ['callback', { type: 'stall' }],
    ['file', BUSY, { times: 0 }],
    ['file', BUSY, { after: Infinity }],
    ['file', BUSY, { time: 2 }]
  ]
  const fault = server.fault as (...given: unknown[]) => unknown
  for (const given of wrong) t.throws(() => fault(...given), TypeError, JSON.stringify(given))
})

t.test('a fault applies to its own route only, at each of the route\'s paths', async t => {
  const { server, url } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
  const conversion = { async: true, filetype: 'txt', outputtype: 'pdf', key: 'C', title: 'a.txt', url: 'http://127.0.0.1:1/' }
  const routes = {
    file: [() => fetch(url)],
    converter: ['/converter', '/ConvertService.ashx'].map(path => () => postSigned(server.url + path, conversion)),
    command: ['/command', '/coauthoring/CommandService.ashx'].map(path => () => postSigned(server.url + path, { c: 'version' })),
    builder: [() => postSigned(`${server.url}/docbuilder`, { async: true, url: 'http://127.0.0.1:1/' })],
    formats: [() => fetch(`${server.url}/meta/formats`)],
    healthcheck: [() => fetch(`${server.url}/healthcheck`)],
    api: [() => fetch(server.editorApiUrl)]
  }
  const names = Object.keys(routes) as Array<keyof typeof routes>
  for (const struck of names) {
    const takeBack = server.fault(struck, BUSY, { times: Infinity })
    for (const name of names) {
      const statuses = await Promise.all(routes[name].map(async call => {
        const response = await call()
        await response.arrayBuffer()
        return response.status
      }))
      t.strictSame([...new Set(statuses)], [name === struck ? 503 : 200], `${name} while ${struck} fails`)
    }
    takeBack()
  }
})

t.test('the requested operation has been carried out even though the answer is faulty', async t => {
  const { server, session } = await startSaved(t)
  server.fault('command', BUSY)
  await session.edit('once more')
  const response = await postSigned(`${server.url}/command`, { c: 'forcesave', key: session.key })
  t.equal(response.status, 503)
  await response.text()
  await server.nextCallback(6)
  t.match((await server.nextCallback(6)).body, { forcesavetype: 0 }, 'the force save follows all the same')
})
