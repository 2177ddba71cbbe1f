import t from 'tap'
import type { AnswerFault } from 'onlyoffice-emulator'
import { expectRescue, OLD, startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

const CONTENT = '0123456789'.repeat(1000)
const SHORT = { timeouts: { headers: 150, idle: 150 } }

const faults: Record<string, AnswerFault> = {
  'nothing after the header': { type: 'stall' },
  'a stall in the middle': { type: 'stall', afterBytes: 5000 },
  'a reset before the first byte': { type: 'reset' },
  'a reset in the middle': { type: 'reset', afterBytes: 5000 },
  'a reset before the last byte': { type: 'reset', afterBytes: CONTENT.length - 1 },
  'a byte less than announced': { type: 'length', by: 1 },
  'an error page with status 200': { type: 'html' },
  'an error page with status 502': { type: 'html', status: 502 },
  'an error page with status 404': { type: 'html', status: 404 },
  'status 204': { type: 'answer', status: 204 },
  'status 206 with a part': { type: 'answer', status: 206, body: CONTENT.slice(0, 100), headers: { 'content-range': 'bytes 0-99/10000' } },
  'status 403': { type: 'answer', status: 403, body: 'Forbidden' },
  'status 410': { type: 'answer', status: 410, body: 'Gone' },
  'status 500': { type: 'answer', status: 500, body: 'oops' },
  'a redirect without a target': { type: 'answer', status: 302 },
  'a redirect in a circle': { type: 'answer', status: 302, headers: { location: '/cache/files/again' } }
}

for (const profile of profiles) {
  t.test(`a saved file that arrives damaged is refused, nothing truncated is stored, and the edit is saved when the document is opened again (${profile})`, async t => {
    const service = await startService(t, { profile, ...SHORT })
    let before = OLD
    for (const [name, fault] of Object.entries(faults)) {
      await t.test(`it comes with ${name}`, async t => {
        const session = await service.open()
        const content = `${CONTENT}\n${name}`
        await session.edit(content)
        const takeBack = service.documentServer.fault('file', fault, { times: Infinity })
        t.match(await session.close(), { status: 2, httpStatus: 200, answer: { error: 1 } })
        takeBack()
        await expectRescue(t, service, session, content, before)
        before = content
        service.saved.length = 0
      })
    }
  })

  t.test(`a saved file larger than maxFileSize is refused, and the document server keeps it (${profile})`, async t => {
    const { open, stored, forgotten, listing, fileId } = await startService(t, { profile, maxFileSize: CONTENT.length - 1 })
    const session = await open()
    await session.edit(CONTENT)
    t.match(await session.close(), { answer: { error: 1 } })
    t.equal(await stored(), OLD)
    t.strictSame(await listing(), [`${fileId}.txt`])
    t.strictSame(forgotten(), [CONTENT])
  })

  t.test(`a saved file that is truncated once is fetched again and stored completely (${profile})`, async t => {
    const { documentServer, open, stored, saved, fetches, sent } = await startService(t, { profile, saveRetries: 1 })
    const session = await open()
    await session.edit(CONTENT)
    documentServer.fault('file', { type: 'reset', afterBytes: 5000 })
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), CONTENT)
    t.equal(saved.length, 1)
    t.equal(fetches(), 2)
    t.equal(sent(2).length, 1)
  })

  for (const [name, fault] of Object.entries({
    'in pieces': { type: 'drip', bytes: 999, everyMs: 60_000 },
    late: { type: 'delay', ms: 300_000 }
  } as const)) {
    t.test(`a saved file that comes ${name} is stored completely (${profile})`, async t => {
      const { documentServer, open, stored, saved } = await startService(t, { profile })
      const session = await open()
      await session.edit(CONTENT)
      documentServer.fault('file', fault)
      t.match(await session.close(), { status: 2, accepted: true })
      t.equal(await stored(), CONTENT)
      t.equal(saved.length, 1)
    })
  }
}
