import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('status 5 is sent once per record, with the mailMerge object', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  const recipients = ['a@example.com', 'b@example.com', 'c@example.com']
  host.beforeAnswer = async ({ mailMerge }) => {
    host.answers[5] = (mailMerge as { recordIndex?: number } | undefined)?.recordIndex === 1 ? { body: '{"error":1}' } : {}
  }
  const results = await session.mailMerge({ from: 'me@example.com', subject: 'Hello', title: 'letter.docx', message: 'See below', type: 1, recipients })
  t.strictSame(results.map(({ status, accepted }) => [status, accepted]), [[5, true], [5, false], [5, true]])

  const letters = host.callbacks(5)
  t.strictSame(letters.map(({ mailMerge }) => mailMerge), recipients.map((to, recordIndex) => ({
    from: 'me@example.com',
    to,
    subject: 'Hello',
    title: 'letter.docx',
    message: 'See below',
    type: 1,
    recordCount: 3,
    recordIndex,
    recordErrorCount: recordIndex === 2 ? 1 : 0,
    userId: 'uid-1'
  })))
  for (const { key, users, filetype, url } of letters) {
    t.strictSame({ key, users, filetype }, { key: 'K', users: ['uid-1'], filetype: 'txt' })
    t.strictSame(Buffer.from(await (await fetch(String(url))).arrayBuffer()), host.files.get('/files/notes.txt'))
  }
})
