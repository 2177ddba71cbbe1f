import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { memoryStorage, type Profile } from '../../lib/index.js'
import { claimsOf } from '../kit/document-server.js'
import { deferred } from '../kit/time.js'
import { type EditingOptions, NEW, profiles, startEditing } from '../kit/editing.js'
import { startService } from '../kit/sessions.js'

const SESSION_MS = 1_800_000
const UNKNOWN = 1

type Command = 'info' | 'getForgotten'
type Answer = (command: Command, response: ServerResponse) => unknown

const errors = (errors: Record<Command, number>): Answer => (command, response) => response.end(JSON.stringify({ error: errors[command] }))

/** A session that was saved by force, and a document server that answers commands so. */
async function startForced (t: Test, profile: Profile, answer: Answer, options: EditingOptions = {}) {
  const commands: Command[] = []
  const clock = fakeClock()
  const editing = await startEditing(t, {
    profile,
    clock,
    timeouts: { session: SESSION_MS },
    async serve (request, response) {
      if (request.method === 'GET') return response.end(NEW)
      const body = JSON.parse(await text(request))
      const { c, key } = claimsOf(body.token)
      const { iat, exp, ...header } = claimsOf(request.headers.authorization?.replace('Bearer ', ''))
      t.strictSame(header, { payload: { c, key }, operation: 'command' })
      t.match(body, { c, key: editing.key })
      commands.push(c as Command)
      answer(c as Command, response)
    },
    ...options
  })
  const { key, post, url } = editing
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  t.equal(await post({ key, status: 6, url }), 0)
  return { ...editing, commands, silentFor (milliseconds: number) { clock.jump(milliseconds) } }
}

for (const profile of profiles) {
  t.test(`timeouts.session: a recently reported session is joined without asking the document server (${profile})`, async t => {
    const { key, openedKey, silentFor, commands } = await startForced(t, profile, errors({ info: UNKNOWN, getForgotten: UNKNOWN }))
    t.equal(await openedKey(), key)
    silentFor(SESSION_MS / 2)
    t.equal(await openedKey(), key)
    t.strictSame(commands, [])
  })

  t.test(`timeouts.session: a session unknown to the document server is dropped (${profile})`, async t => {
    const { key, openedKey, silentFor, commands, post, url, storedText, fileId } = await startForced(
      t,
      profile,
      errors({ info: UNKNOWN, getForgotten: UNKNOWN })
    )
    silentFor(SESSION_MS)
    const next = await openedKey()
    t.not(next, key)
    t.strictSame(commands, ['info', 'getForgotten'])
    t.equal(await openedKey(), next)
    t.equal(commands.length, 2, 'once')
    t.equal(await post({ key: next, status: 2, url: `${url}&next` }), 0)
    t.equal(await storedText(fileId), NEW)
  })

  const kept: Record<string, [Answer, Command[]]> = {
    'it has a file under that key whose save was refused': [errors({ info: UNKNOWN, getForgotten: 0 }), ['info', 'getForgotten']],
    'somebody is in it': [(_command, response) => response.end('{"error":0,"users":["u1"]}'), ['info']],
    'it does not answer': [(_command, response) => response.destroy(), ['info']],
    'it fails': [(_command, response) => response.writeHead(500).end('{"error":1}'), ['info']],
    'it answers a page': [(_command, response) => response.end('<html>1</html>'), ['info']],
    'it answers something else': [(_command, response) => response.end('null'), ['info']],
    'it refuses the command': [errors({ info: 6, getForgotten: 6 }), ['info']],
    'it fails at the second question': [(command, response) => command === 'info' ? response.end('{"error":1}') : response.destroy(), ['info', 'getForgotten']]
  }
  for (const [name, [answer, expected]] of Object.entries(kept)) {
    t.test(`timeouts.session: a session is kept when the document server is asked and ${name} (${profile})`, async t => {
      const { key, openedKey, silentFor, commands } = await startForced(t, profile, answer)
      silentFor(SESSION_MS)
      t.equal(await openedKey(), key)
      t.strictSame(commands, expected)
      t.equal(await openedKey(), key)
      t.strictSame(commands, expected, 'it is not asked again at once')
    })
  }

  t.test(`timeouts.session: many editors that open it at once cause one request (${profile})`, async t => {
    const asked = deferred()
    const release = deferred()
    const { key, openedKey, silentFor, commands } = await startForced(t, profile, async (_command, response) => {
      asked.resolve()
      await release.promise
      response.end(`{"error":${UNKNOWN}}`)
    }, { memory: true, storage: memoryStorage() }) // also on S3: nothing else is waited for than the document server
    silentFor(SESSION_MS)
    const opening = Array.from({ length: 10 }, async () => await openedKey())
    await asked.promise
    release.resolve()
    const keys = new Set(await Promise.all(opening))
    t.equal(keys.size, 1)
    t.notOk(keys.has(key))
    t.strictSame(commands, ['info', 'getForgotten'])
  })

  t.test(`timeouts.session: a session reported while the document server is being asked is kept (${profile})`, async t => {
    const { key, openedKey, silentFor, post } = await startForced(t, profile, async (_command, response) => {
      t.equal(await post({ key, status: 1, users: ['u2'] }), 0)
      response.end(`{"error":${UNKNOWN}}`)
    })
    silentFor(SESSION_MS)
    t.equal(await openedKey(), key)
  })

  t.test(`timeouts.session: a session is dropped if the document server reports meanwhile that everybody has left (${profile})`, async t => {
    const { key, openedKey, silentFor, post, commands } = await startForced(t, profile, async (_command, response) => {
      t.equal(await post({ key, status: 4 }), 0, 'its callback was answered')
      response.end('{"error":0,"users":[]}')
    })
    silentFor(SESSION_MS)
    t.not(await openedKey(), key)
    t.strictSame(commands, ['info'])
  })

  t.test(`timeouts.session: works with the emulated document server, whose callback is answered while it is asked (${profile})`, async t => {
    const { open, key, documentServer, clock, sent, stored, forgotten } = await startService(t, { profile, timeouts: { session: SESSION_MS } })
    const session = await open()
    await session.edit('saved by force')
    t.match(await session.forceSave(), { accepted: true })
    clock.jump(SESSION_MS)
    const told = sent(1).length
    t.equal(await key(), session.key, 'somebody is in the session')
    t.strictSame(sent(1).slice(told).map(({ body, answer }) => [body!.users, body!.actions, answer!.body]), [[['ada'], undefined, { error: 0 }]])

    await session.edit('refused')
    documentServer.fault('file', { type: 'answer', status: 404 })
    t.match(await session.close(), { accepted: false })
    await documentServer.crash()
    await documentServer.restart({ sessions: 'lost' })
    clock.jump(SESSION_MS)
    t.equal(await key(), session.key, 'its save was refused')
    t.strictSame(forgotten(), ['refused'])

    const again = await open()
    t.equal(again.key, session.key)
    t.match(await again.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'refused')
    const next = await open()
    t.not(next.key, session.key)
    await next.edit('saved by force once more')
    t.match(await next.forceSave(), { accepted: true })
    await documentServer.crash()
    await documentServer.restart({ sessions: 'lost' })
    t.equal(await key(), next.key, 'authorize was not called')
    clock.jump(SESSION_MS)
    const last = await key()
    t.notOk([session.key, next.key].includes(last), 'the session is lost')
    t.equal(await stored(), 'saved by force once more')
  })
}
