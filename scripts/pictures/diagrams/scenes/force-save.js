import { startService } from './service.js'

/** The stored file is replaced while the session goes on. */
export async function forceSave () {
  const service = await startService()
  const { record } = service
  try {
    const ada = await service.open('Ada')
    record.clear()
    record.begin('Ada edits, and has it saved')
    await ada.edit('Orders grew in all three regions.')
    await ada.forceSave()
    record.begin('The session goes on, with the same document key')
    await ada.edit('Orders grew in all three regions. Support needs two people.')
    record.begin('Ada leaves')
    await ada.leave()
  } finally {
    await service.close()
  }
  return { title: 'A force save stores the document while it is being edited.', steps: record.steps() }
}
