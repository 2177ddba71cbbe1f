import { readFileSync } from 'node:fs'
import t from 'tap'
import type { AnswerFault } from 'onlyoffice-emulator'
import { startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

const REPORT = readFileSync(new URL('../../fixtures/documents/report.docx', import.meta.url))

const faults: Record<string, AnswerFault> = {
  'no bytes at all': { type: 'answer', status: 200 },
  'some text': { type: 'answer', status: 200, body: 'Something went wrong' },
  'an error page': { type: 'html' }
}

for (const profile of profiles) {
  for (const [name, fault] of Object.entries(faults)) {
    t.test(`a saved Word document sent with ${name} and status 200 is refused, and saved when it is opened again (${profile})`, async t => {
      const { app, documentServer, storage } = await startService(t, { profile })
      const control = app.editorControl()
      const fileId = await control.setDocumentFromBytes(REPORT, 'Report.docx')
      const session = await documentServer.open(control.config!)
      await session.edit('not to be lost')
      const edited = await session.content()
      const takeBack = documentServer.fault('file', fault, { times: Infinity })
      t.match(await session.close(), { status: 2, answer: { error: 1 } })
      takeBack()
      const bytes = async () => Buffer.concat(await (await storage.read(fileId))!.body.toArray())
      t.strictSame(await bytes(), REPORT)
      const again = await documentServer.open((await app.editorControl().openDocument(fileId)).config!)
      t.match(await again.close(), { status: 2, accepted: true })
      t.strictSame(await bytes(), edited)
    })
  }
}
