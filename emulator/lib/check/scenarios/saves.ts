import type { ForceSaveOptions } from '../../../types/session.js'
import { must, should, type Scenario } from '../types.js'

const ANSWERS = 'what-the-document-server-does-with-the-answer'
const FORCED = 'forced-6-and-7'
const AGAIN = 'opening-a-key-again'
const STORE = 'Download url and store it completely before you answer {"error":0}: the document server then deletes its copy.'
const IGNORE = 'Answer it without downloading or storing anything.'

function forceSave (type: NonNullable<ForceSaveOptions['type']>, statement: string): Scenario {
  return must(`force-save-${type}`, `a force save (6) by the ${type} is stored`,
    [FORCED, statement],
    'Store a 6 like a 2, unless its forcesavetype is 3.',
    async ({ edited, forceSaved, expectStored }) => {
      await forceSaved(await edited('the force-saved content'), { type, userdata: 'check' })
      await expectStored('the force-saved content')
    })
}

/** Everything that a session reports. */
export const saves: readonly Scenario[] = [
  must('save', 'a finished save (2) is stored',
    [ANSWERS, 'HTTP 200 and JSON with an `error` equal to 0'],
    STORE,
    async ({ edited, server, callbackUrl, expect, expectAccepted, expectStored }) => {
      const fetches = () => server.receivedRequests.filter(({ url }) => url.startsWith('/cache/files/')).length
      const before = fetches()
      const answer = await (await edited('the saved content')).close()
      const hint = `the callback at ${callbackUrl.split('?', 1)[0]} was refused, and nothing was fetched from ${server.url}: is that the URL of the document server in the settings of the host?`
      expect(answer.accepted || fetches() > before, 'HTTP 200 with {"error":0}', `${answer.httpStatus === null ? 'no answer' : `HTTP ${answer.httpStatus}`}; ${hint}`)
      expectAccepted(answer)
      await expectStored('the saved content')
    }),
  must('save-new-key', 'after a save the document has a new key',
    [AGAIN, 'after an accepted 2 the same key is view-only for 5 minutes'],
    'Change the key with each stored 2, for example by the revision in it: nobody can edit under the old one.',
    async ({ edited, expectNewKey }) => {
      await (await edited('the saved content')).close()
      await expectNewKey()
      await (await edited('the content of the next session')).close()
    }),
  should('joined', 'somebody who joins (1) is acknowledged',
    [ANSWERS, 'a refused 1 is only a warning in the editor'],
    'Answer {"error":0} to a 1: the editor shows a warning otherwise.',
    async ({ post, presence, expectAccepted, expectStored }) => {
      expectAccepted(await post(presence(1)))
      await expectStored('the content from before')
    }),
  must('closed-unchanged', 'after a session without changes (4) content and key stay',
    [AGAIN, 'after 4, 6, 7 and a failed 2 or 3 editing continues with the same key'],
    'Answer {"error":0} to a 4, and change nothing.',
    async ({ open, expectAccepted, expectStored, expectKey }) => {
      expectAccepted(await (await open()).close())
      await expectStored('the content from before')
      await expectKey()
    }),
  must('two-editors', 'the save of two editors is stored when the second one leaves',
    ['saved-2-and-3', '2: sent when the last editor has left and something was changed'],
    'Store on status 2 only, whoever left before.',
    async ({ edited, expectAccepted, expectStored }) => {
      const first = await edited('the content of the first editor')
      const second = await edited('the content of the second editor')
      expectAccepted(await first.close())
      expectAccepted(await second.close())
      await expectStored('the content of the second editor')
    }),
  must('lost-connection', 'what somebody wrote whose connection was lost is stored',
    [AGAIN, 'a dropped connection delays the 2 by 5 s'],
    STORE,
    async ({ edited, expectAccepted, expectStored }) => {
      const session = await edited('the content of the lost editor')
      await session.disconnect()
      expectAccepted(await session.saved())
      await expectStored('the content of the lost editor')
    }),
  forceSave('command', '6: `forcesavetype` 0 is the command'),
  forceSave('button', '6: `forcesavetype` 1 is the button'),
  forceSave('timer', '6: `forcesavetype` 2 is the timer'),
  must('force-save-form', 'a submitted form (6, forcesavetype 3) does not replace the document',
    [FORCED, '6: every participant of any document can submit a form'],
    'Hand over the data from formsdataurl, or answer {"error":1}, and leave the document as it is: a viewer can submit it, too.',
    async ({ edited, expectStored }) => {
      const session = await edited('the content that was submitted')
      await session.forceSave({ type: 'form', formData: [{ key: 'check', value: 'yes' }] })
      await expectStored('the content from before')
      await session.close()
    }),
  must('force-save-keeps-key', 'after a force save the document has the same key',
    [AGAIN, 'after 1 and 6 a user who joins edits the same document'],
    'Change the key with a stored 2 only: with another key, whoever joins edits a second copy, and one of the two saves is lost.',
    async ({ edited, forceSaved, expectKey }) => {
      await forceSaved(await edited('the force-saved content'), {})
      await expectKey()
    }),
  must('save-after-force-save', 'what is written after a force save is stored at the end',
    [FORCED, '6: like a 2, with `forcesavetype` and without `notmodified`'],
    'Store the 2 after a 6, too: it has the same key and newer content.',
    async ({ edited, forceSaved, expectAccepted, expectStored, expectNewKey }) => {
      const session = await edited('the force-saved content')
      await forceSaved(session, {})
      expectAccepted(await (await edited('the final content', session)).close())
      await expectStored('the final content')
      await expectNewKey()
    }),
  must('save-not-modified', 'a 2 with the content of the last force save ends the session',
    ['saved-2-and-3', '2: `notmodified` is true when nothing was changed after the last force save'],
    'Answer {"error":0} and change the key: the old one can no longer be edited.',
    async ({ edited, forceSaved, expectAccepted, expectStored, expectNewKey }) => {
      const session = await edited('the force-saved content')
      await forceSaved(session, {})
      expectAccepted(await session.close())
      await expectStored('the force-saved content')
      await expectNewKey()
    }),
  must('save-failed', 'a failed save (3) is refused, so that the document server keeps the changes',
    [ANSWERS, 'a 3 answered `{"error":0}`: the changes are deleted permanently'],
    'Answer {"error":1} to a 3, and keep the key: opening the document again brings the changes back.',
    async ({ edited, fault, expectRefused, expectStored, expectKey }) => {
      fault('assembly', { type: 'fail' })
      expectRefused(await (await edited('the lost content')).close())
      await expectStored('the content from before')
      await expectKey()
    }),
  must('save-corrupted', 'a failed save (3) with a file is not stored',
    ['saved-2-and-3', '3: it has `url`, `changesurl`, `history` and `filetype` only when the result is known to be corrupted'],
    'Store on status 2 and 6 only: the file of a 3 is corrupted.',
    async ({ edited, fault, expectStored }) => {
      fault('assembly', { type: 'fail', corrupted: true })
      await (await edited('the corrupted content')).close()
      await expectStored('the content from before')
    }),
  should('force-save-failed', 'a failed force save (7) changes nothing',
    [FORCED, '7: a force save could not be assembled'],
    IGNORE,
    async ({ edited, fault, expect, expectStored, expectKey }) => {
      fault('assembly', { type: 'fail' }, { times: 1 })
      const { httpStatus, answer } = await (await edited('the lost content')).forceSave()
      expect(httpStatus !== null && httpStatus < 500, 'an answer below HTTP 500', { httpStatus, answer, accepted: false })
      await expectStored('the content from before')
      await expectKey()
    }),
  must('force-save-corrupted', 'a failed force save (7) with a file is not stored',
    [FORCED, '7: it has `url`, `changesurl`, `history` and `filetype` if the result is known to be corrupted'],
    'Store on status 2 and 6 only: the file of a 7 is corrupted.',
    async ({ edited, fault, expectStored }) => {
      fault('assembly', { type: 'fail', corrupted: true }, { times: 1 })
      await (await edited('the corrupted content')).forceSave()
      await expectStored('the content from before')
    }),
  should('mail-merge', 'a message of a mail merge (5) changes nothing',
    ['mail-merge-5', ''],
    IGNORE,
    async ({ made, post, expect, expectStored, expectKey }) => {
      const { key, url, users, filetype } = await made('the message of a mail merge')
      const mailMerge = { to: 'b@example.com', subject: 'check', recordCount: 1, recordIndex: 0, recordErrorCount: 0 }
      const answer = await post({ key, status: 5, url, users, mailMerge, filetype })
      expect(answer.httpStatus !== null && answer.httpStatus < 500, 'an answer below HTTP 500', answer)
      await expectStored('the content from before')
      await expectKey()
    }),
  should('unknown-status', 'a status that does not exist yet changes nothing',
    ['callbacks', ''],
    'Store on status 2 and 6 only, and answer everything else.',
    async ({ made, post, expect, expectStored, expectKey }) => {
      const answer = await post({ ...await made('the content of an unknown status'), status: 8 })
      expect(answer.httpStatus !== null && answer.httpStatus < 500, 'an answer below HTTP 500', answer)
      await expectStored('the content from before')
      await expectKey()
    }),
  must('forgotten', 'a save that the host refused arrives with the next session',
    ['forgotten-files', 'closing a forgotten file sends a 2 again, edited or not'],
    'Keep the key after a refused 2, and store the 2 with this key that follows, with history {} and without changesurl.',
    async ({ edited, open, server, expectKey, expectStored, expectAccepted, expectRefused }) => {
      const session = await edited('the content that was refused')
      const remove = server.fault('file', { type: 'answer', status: 503 }, { times: Infinity })
      const answer = await session.close()
      remove()
      expectRefused(answer)
      await expectKey()
      expectAccepted(await (await open()).close())
      await expectStored('the content that was refused')
    })
]
