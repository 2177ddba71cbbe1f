import { must, should, type Scenario } from '../types.js'

const ADVICE = 'advice-for-applications'
const IDEMPOTENT = 'Handle callbacks idempotently'
const USED = 'Remember the key of the session whose save is stored, and change nothing for a later callback with a used key.'

/** Callbacks that arrive twice, late, or in another order. */
export const order: readonly Scenario[] = [
  must('repeated-save', 'a save that arrives twice is stored once',
    [ADVICE, IDEMPOTENT],
    'Recognize a repeated 2 by its key and the path of its url, answer {"error":0}, and keep the new key as it is.',
    async ({ made, post, keyNow, expectAccepted, expectStored, expectKey }) => {
      const callback = await made('the saved content')
      expectAccepted(await post(callback))
      const key = await keyNow()
      expectAccepted(await post(callback))
      await expectStored('the saved content')
      await expectKey(key)
    }),
  must('repeated-at-once', 'a save that arrives twice at the same time is stored once',
    [ADVICE, IDEMPOTENT],
    'Handle the callbacks of one document one after another, in all processes.',
    async ({ made, post, keyNow, expect, expectStored, expectKey }) => {
      const callback = await made('the saved content')
      const answers = await Promise.all([post(callback), post(callback), post(callback)])
      expect(answers.some(({ accepted }) => accepted), 'an accepted save', answers[0]!)
      await expectStored('the saved content')
      const key = await keyNow()
      await post(callback)
      await expectKey(key)
    }),
  must('repeated-late', 'a save that is repeated during the next session changes nothing',
    ['what-the-document-server-does-with-the-answer', 'a crash after the application has stored and before it has answered'],
    USED,
    async ({ made, post, edited, expectAccepted, expectStored }) => {
      const callback = await made('the content of the first session')
      expectAccepted(await post(callback))
      const session = await edited('the content of the second session')
      await session.forceSave()
      await post(callback)
      await expectStored('the content of the second session')
      expectAccepted(await session.close())
      await expectStored('the content of the second session')
    }),
  must('late-force-save', 'a force save that arrives after the save of its session changes nothing',
    ['forcesave', 'the 2 does not wait for the application\'s answer to a 6'],
    USED,
    async ({ made, post, expectAccepted, expectStored, expectNewKey }) => {
      const older = await made('the force-saved content', { status: 6 })
      expectAccepted(await post(await made('the final content')))
      await post(older)
      await expectStored('the final content')
      await expectNewKey()
    }),
  should('older-force-save', 'a force save that arrives after a newer one changes nothing',
    ['forced-6-and-7', 'after a refused 6 the final 2 still comes'],
    'Compare lastsave of a 6 with that of the stored one with the same key.',
    async ({ made, post, expectAccepted, expectStored }) => {
      const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '.000')
      const older = await made('the older content', { status: 6, lastsave: at(-60) })
      expectAccepted(await post(await made('the newer content', { status: 6, lastsave: at(-5) })))
      await post(older)
      await expectStored('the newer content')
    }),
  must('slow-force-save', 'a save that overtakes a force save stays',
    ['forcesave', 'the 2 does not wait for the application\'s answer to a 6'],
    'Handle the callbacks of one document one after another, and check again whether the key is used before you publish a file.',
    async ({ edited, fault, slowly, expectAccepted, expectStored }) => {
      const session = await edited('the force-saved content')
      await slowly(async () => {
        fault('file', { type: 'delay', ms: 3000 }, { times: 1 })
        const forced = session.forceSave()
        await edited('the final content', session)
        expectAccepted(await session.close())
        await forced
      })
      await expectStored('the final content')
    }),
  must('used-key', 'another save with a used key does not replace the newer content',
    ['the-document-key', 'users with the same key co-edit'],
    'Compare the key with that of the stored version before you replace it; refuse the save, or store it as another document.',
    async ({ made, post, edited, expectAccepted, expectStored }) => {
      expectAccepted(await post(await made('the content of the first session')))
      expectAccepted(await (await edited('the content of the second session')).close())
      await post(await made('other content with the key of the first session'))
      await expectStored('the content of the second session')
    })
]
