import { startService } from './service.js'

/** Two users edit, and leave. */
export async function save () {
  const service = await startService()
  const { record } = service
  try {
    record.begin('Ada opens the report')
    const ada = await service.open('Ada')
    record.begin('Ben opens it, too')
    const ben = await service.open('Ben')
    record.begin('Both edit')
    await ada.edit('Orders grew in all three regions.')
    await ben.edit('Orders grew in all three regions. Support needs two people.')
    record.begin('Ada leaves')
    await ada.leave()
    record.begin('Ben leaves')
    await ben.leave()
  } finally {
    await service.close()
  }
  return { title: 'Two users edit a document. It is stored when the last one has left.', steps: record.steps() }
}
