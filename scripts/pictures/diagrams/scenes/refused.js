import { DISK_FULL, startService } from './service.js'

/** A save that cannot be stored comes back with the next session. */
export async function refused () {
  const service = await startService()
  const { record, failNextSave } = service
  try {
    const ada = await service.open('Ada')
    await ada.edit('Orders grew in all three regions.')
    record.clear()
    record.begin('Ada has edited, and leaves')
    failNextSave(DISK_FULL)
    await ada.leave()
    record.begin('Ada opens it again: her changes were kept')
    const again = await service.open('Ada')
    if (!again.hasKeptChanges) throw new Error('the changes are lost')
    record.say({ from: 'documentServer', to: 'browser', says: 'the document with her changes', isReply: true })
    record.begin('Ada leaves')
    await again.leave()
  } finally {
    await service.close()
  }
  return { title: 'A save that is refused is not lost.', steps: record.steps() }
}
