import { startApplication } from '../framework/application.js'

const SIZE = 1000
const REPETITIONS = 10

/** @type {import('../framework/measure.js').Figures} */
export const records = {
  name: 'records',
  title: 'Document with 1, 100 and 10,000 saves behind it (quick: 1 and 100)',
  does:
    'a save and a callback with status 1 cost the same, whatever happened before: × that of a document with one save',
  checked: false, // medians of ten
  processes: 1, // 10,000 saves take long; the documents take turns
  figures: {
    save: { name: 'save with one save behind', unit: 'ms' },
    callback: { name: 'callback with one save behind', unit: 'ms' },
    hundred: { name: 'save with 100 behind', unit: '×', atMost: 1.25 },
    hundredCallback: { name: 'callback with 100 behind', unit: '×', atMost: 1.25 },
    thousands: { name: 'save with 10,000 behind', unit: '×', atMost: 1.25 },
    thousandsCallback: { name: 'callback with 10,000 behind', unit: '×', atMost: 1.25 }
  },
  async measure (mode, folder) {
    const behind = mode.name === 'quick' ? [1, 100] : [1, 100, 10_000]
    const application = await startApplication(folder, { documents: behind.length })
    const { editors, fileIds } = application
    try {
      for (const [index, saves] of behind.entries()) {
        await editors.call('repeatSession', { fileId: fileIds[index], size: SIZE, repetitions: saves })
      }
      /** @type {Array<{ fileId: string, save: number, callback: number }>} */
      const medians = await editors.call('times', { fileIds, size: SIZE, repetitions: REPETITIONS })
      await editors.call('check')
      const [one, hundred, thousands] = medians
      if (!one) throw new Error('nothing was measured')
      return {
        save: one.save,
        callback: one.callback,
        hundred: (hundred?.save ?? NaN) / one.save,
        hundredCallback: (hundred?.callback ?? NaN) / one.callback,
        ...(thousands && { thousands: thousands.save / one.save, thousandsCallback: thousands.callback / one.callback })
      }
    } finally {
      await application.stop()
    }
  }
}
