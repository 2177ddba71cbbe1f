import { writeFile } from 'node:fs/promises'
import { blankDocument } from 'fastify-onlyoffice'
import { startService } from './service.js'

/** Another program replaces the file during the session. */
export async function conflict () {
  const service = await startService()
  const { record, file } = service
  try {
    const ada = await service.open('Ada')
    record.clear()
    record.begin('Ada edits the report')
    await ada.edit('Orders grew in all three regions.')
    record.begin('Meanwhile another program replaces the file')
    await writeFile(file, blankDocument('docx'))
    record.say({ from: 'other', to: 'storage', says: 'another content' })
    record.begin('Ada leaves')
    await ada.leave()
  } finally {
    await service.close()
  }
  return { title: 'Somebody else replaces the file during a session. Both contents are kept.', steps: record.steps() }
}
