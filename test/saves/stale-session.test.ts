import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { claimsOf } from '../kit/document-server.js'
import { type EditingOptions, NEW, startEditing } from '../kit/editing.js'

const SESSION_MS = 1_800_000
const UNKNOWN = 1

type Command = 'info' | 'getForgotten'
type Answer = (command: Command, response: ServerResponse) => unknown

const errors = (errors: Record<Command, number>): Answer => (command, response) => response.end(JSON.stringify({ error: errors[command] }))

/** A session that was saved by force, and a document server that answers commands so. */
async function startForced (t: Test, answer: Answer, options: EditingOptions = {}) {
  const commands: Command[] = []
  const clock = fakeClock()
  const editing = await startEditing(t, {
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

t.test('timeouts.session: a recently reported session is joined without asking the document server', async t => {
  const { key, openedKey, silentFor, commands } = await startForced(t, errors({ info: UNKNOWN, getForgotten: UNKNOWN }))
  t.equal(await openedKey(), key)
  silentFor(SESSION_MS / 2)
  t.equal(await openedKey(), key)
  t.strictSame(commands, [])
})

t.test('timeouts.session: a session unknown to the document server is dropped', async t => {
  const { key, openedKey, silentFor, commands, post, url, storedText, fileId } = await startForced(
    t,
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
  t.test(`timeouts.session: a session is kept when the document server is asked and ${name}`, async t => {
    const { key, openedKey, silentFor, commands } = await startForced(t, answer)
    silentFor(SESSION_MS)
    t.equal(await openedKey(), key)
    t.strictSame(commands, expected)
    t.equal(await openedKey(), key)
    t.strictSame(commands, expected, 'it is not asked again at once')
  })
}
