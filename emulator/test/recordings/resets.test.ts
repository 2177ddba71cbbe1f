import t from 'tap'
import { play } from './player.js'
import { isRequest, type Recording, recording, type RequestStep } from './recording.js'

// A host that resets a connection is played, too, however it is written; and a step that can't be played fails at once.

function changed (name: string, isChanged: (step: RequestStep) => boolean, answer: unknown): Recording {
  const whole = recording(name)
  return { ...whole, steps: whole.steps.map(step => isRequest(step) && isChanged(step) ? { ...step, answer } as RequestStep : step) }
}

const isFirst = ({ body }: RequestStep) => body?.status === 1
const isDownload = ({ method }: RequestStep) => method === 'GET'

for (const answer of ['connection reset', { status: 0, headers: {}, body: null }, { status: 0, took: 10, headers: {}, body: null }]) {
  t.test(`a 1 that is answered by a reset, ${JSON.stringify(answer)}: joined, then the warning`, async t => {
    const { events, exchanges } = await play(t, changed('open-close-unchanged', isFirst, answer))
    t.strictSame(Object.values(events).flat().map(({ name }) => name), ['joined', 'warning', 'ready'])
    t.match(exchanges.map(({ name }) => name.split(' ')[0]), ['POST', 'GET', 'POST'])
  })

  t.test(`a download that is answered by a reset, ${JSON.stringify(answer)}: joined, then -81`, async t => {
    const { events } = await play(t, changed('open-close-unchanged', isDownload, answer))
    t.match(Object.values(events).flat().map(({ value }) => value), [{ type: 'joined' }, { type: 'failed', code: -81 }])
  })
}

t.test('a step that cannot be played any more fails at once', async t => {
  await t.rejects(play(t, changed('open-edit-close', isDownload, 'connection reset')), /Nobody has been told of \/cache\/files/)
})
