import { writeFile } from 'node:fs/promises'
import { blankDocument } from 'fastify-onlyoffice'
import { DISK_FULL, startService } from './service.js'

/** @import { Moment } from '../svg/timeline.js' */

/** When the document key stays, and when it changes: the keys that the pages got. */
export async function sessionKeys () {
  const service = await startService()
  /** @type {Moment[]} */
  const moments = []
  /** @type {string[]} */
  const keys = []

  /**
   * @param {string} says
   * @param {string} key
   */
  function note (says, key) {
    if (!keys.includes(key)) keys.push(key)
    moments.push({ says, key: keys.indexOf(key) })
  }

  /** @param {string} name */
  async function opens (name, says = `${name} opens the document`) {
    const editor = await service.open(name)
    note(says, editor.key)
    return editor
  }

  try {
    let ada = await opens('Ada')
    const ben = await opens('Ben', 'Ben joins')
    await ada.edit('Orders grew.')
    await ada.forceSave()
    note('Force save: the file is replaced', ada.key)
    const cleo = await opens('Cleo', 'Cleo joins the same session')
    await ben.edit('Orders grew in all regions.')
    await cleo.leave()
    await ben.leave()
    await ada.leave()
    note('All leave: the file is replaced', ada.key)

    ada = await opens('Ada', 'Ada opens the new content')
    await ada.leave()
    note('Ada leaves, nothing has changed', ada.key)
    ada = await opens('Ada', 'Ada opens it again')
    await ada.edit('Orders grew in all three regions.')
    service.failNextSave(DISK_FULL)
    await ada.leave()
    note('Ada leaves: the save is refused', ada.key)
    ada = await opens('Ada', 'Ada opens it: her changes are there')
    await ada.leave()
    note('Ada leaves: the file is replaced', ada.key)

    ada = await opens('Ada', 'Ada opens the new content')
    await ada.leave()
    note('Ada leaves, nothing has changed', ada.key)
    await writeFile(service.file, blankDocument('docx'))
    moments.push({ says: 'Another program replaces the file', key: null })
    ada = await opens('Ada', 'Ada opens what it has written')
    await ada.leave()
  } finally {
    await service.close()
  }
  return { title: 'The document key stays during a session, and changes with the content.', moments }
}
