import type { AnswerFault } from '../../../types/faults.js'
import type { Trial } from '../trial.js'
import { must, should, type Scenario, Skip } from '../types.js'

const URLS = 'the-urls-in-a-callback'
const RETRIED = ['what-the-document-server-does-with-the-answer', '429 and 500–599: retried after 1, 2 and 4 s'] as const
const RETRY = 'Answer 503, so that the document server repeats the save, and leave the stored file as it is until all bytes are there.'
const ORIGIN = 'Fetch only from the origin of your document server, and check that before the request.'
const CHOSEN = '`<base>` is what Host and X-Forwarded-* say on the connection of the browser that edits'

/** A file that can't be fetched is not stored, and the save is not acknowledged. */
function unfetchable (id: string, title: string, ...faults: readonly AnswerFault[]): Scenario {
  return must(id, title, RETRIED, RETRY, async ({ edited, server, expectStored, expectRefused }) => {
    for (const fault of faults) {
      const session = await edited('the content that could not be fetched')
      const remove = server.fault('file', fault, { times: Infinity })
      const answer = await session.close().finally(remove)
      await expectStored('the content from before')
      expectRefused(answer)
    }
  })
}

async function expectUntouched (trial: Trial, url: string): Promise<void> {
  const fields = await trial.made('the content of a stranger')
  const { recorder } = trial
  recorder.files.set('/stranger', trial.content('the content of a stranger'))
  recorder.fetched.length = 0
  await trial.post({ ...fields, url })
  trial.expect(!recorder.fetched.includes('/stranger'), 'no request to another origin', 'a request')
}

function elsewhere ({ server, recorder }: Trial): string {
  return `http://${new URL(server.url).hostname}:${recorder.port}/stranger`
}

/** The download of what was saved. */
export const results: readonly Scenario[] = [
  unfetchable('result-cut-off', 'a file whose connection breaks off is not stored', { type: 'reset', afterBytes: 20 }, { type: 'length', by: 10 }),
  unfetchable('result-missing', 'an error page with HTTP 404 is not stored', { type: 'html', status: 404 }),
  unfetchable('result-unavailable', 'an error page with HTTP 502 is not stored', { type: 'html', status: 502 }),
  should('result-retried', 'a save whose file could not be fetched at first is repeated and stored',
    RETRIED,
    RETRY,
    async ({ edited, fault, expectAccepted, expectStored }) => {
      fault('file', { type: 'answer', status: 503 }, { times: 1 })
      expectAccepted(await (await edited('the saved content')).close())
      await expectStored('the saved content')
    }),
  should('result-slow', 'a file that takes three seconds is stored',
    ['what-the-document-server-does-with-the-answer', 'it waits 10 minutes for an answer'],
    'Give the download a minute or more: the document server waits for the answer.',
    async ({ edited, fault, slowly, expectAccepted, expectStored }) => {
      const session = await edited('the saved content')
      fault('file', { type: 'delay', ms: 3000 })
      await slowly(async () => { expectAccepted(await session.close()) })
      await expectStored('the saved content')
    }),
  should('result-large', 'a file of 12 MB is stored',
    ['downloading-the-document', 'the limit is 100 MB'],
    'Allow files of up to 100 MB, and store them as a stream.',
    async ({ edited, fault, isPackage, expectAccepted, stored, expect }) => {
      if (isPackage) throw new Skip('it needs a text document')
      const body = Buffer.alloc(12 * 1024 * 1024, 'check ')
      fault('file', { type: 'answer', status: 200, body, headers: { 'content-length': String(body.length) } })
      expectAccepted(await (await edited('a large file')).close())
      const { length } = await stored()
      expect(length === body.length, `${body.length} stored bytes`, `${length} bytes`)
    }),
  must('result-empty', 'an empty file does not replace an office document',
    ['downloading-the-document', 'a body of 0 bytes becomes an empty document of the type'],
    'Refuse a result of 0 bytes for a format whose files are never empty.',
    async ({ edited, fault, isPackage, expectStored }) => {
      if (!isPackage) throw new Skip('a text may be empty; use a .docx, .xlsx or .pptx')
      fault('file', { type: 'answer', status: 200, body: '' })
      await (await edited('the saved content')).close()
      await expectStored('the content from before')
    }),
  should('result-page', 'a page with HTTP 200 does not replace an office document',
    ['downloading-the-document', 'HTML with status 200 is taken as the document'],
    'Check that the file begins like its format (PK for .docx, .xlsx and .pptx) before you replace the stored one.',
    async ({ edited, fault, isPackage, expectStored }) => {
      if (!isPackage) throw new Skip('a text may contain anything; use a .docx, .xlsx or .pptx')
      fault('file', { type: 'html' })
      await (await edited('the saved content')).close()
      await expectStored('the content from before')
    }),
  must('result-other-origin', 'nothing is fetched from another origin',
    [URLS, CHOSEN],
    ORIGIN,
    async trial => {
      await expectUntouched(trial, elsewhere(trial))
    }),
  should('result-redirected', 'a redirect to another origin is not followed',
    [URLS, CHOSEN],
    'Follow no redirects of the result, or check the origin of each.',
    async trial => {
      const { url } = await trial.made('the redirected content')
      trial.fault('file', { type: 'answer', status: 302, headers: { location: elsewhere(trial) } })
      await expectUntouched(trial, String(url))
    }),
  must('result-in-a-file', 'a file of the host\'s own machine is not stored',
    [URLS, CHOSEN],
    ORIGIN,
    async ({ made, post, expectStored }) => {
      await post({ ...await made('the forged content'), url: 'file:///etc/hosts' })
      await expectStored('the content from before')
    }),
  should('result-of-other-format', 'a file of another format does not get the old name',
    [URLS, '`filetype` is the format of the bytes at `url`'],
    'Look at filetype: store the file with that extension, or refuse the save.',
    async ({ made, post, fileType, isPackage, before, stored, now, keyNow, expect }) => {
      const filetype = { docx: 'odt', csv: 'txt' }[fileType] ?? (isPackage ? 'docx' : 'csv')
      await post({ ...await made('the content of another format'), filetype })
      const { document } = (await now()).signed
      expect((await stored()).equals(before) || document?.fileType === filetype, `the content from before, or the fileType ${filetype}`, `the new content as ${document?.fileType}`)
      // The document gets its format back: other scenarios may use it.
      if (document?.fileType === filetype) await post(await made('the first format', { key: await keyNow() }))
    })
]
