import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { blankDocument } from 'fastify-onlyoffice'
import { DISK_FULL, startService } from './service.js'

/** @typedef {Awaited<ReturnType<Awaited<ReturnType<typeof startService>>['open']>>} Editor */
/** @import { Moment } from '../svg/timeline.js' */

const SAVED = { status: 2, accepted: true }
const REFUSED = { status: 2, accepted: false }
const UNCHANGED = { status: 4, accepted: true }

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

  /**
   * @param {Editor} editor
   * @param {string} says
   * @param {{ status: number, accepted: boolean }} expected
   */
  async function leaves (editor, says, expected) {
    const { status, accepted } = await editor.leave()
    assert.deepEqual({ status, accepted }, expected)
    note(says, editor.key)
  }

  /**
   * @param {string} says
   * @param {string} lang The contents differ by it.
   */
  async function replaceFile (says, lang) {
    await writeFile(service.file, blankDocument('docx', { lang }))
    moments.push({ says, key: null })
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
    await leaves(ada, 'All leave: the file is replaced', SAVED)

    ada = await opens('Ada', 'Ada opens the new content')
    await leaves(ada, 'Ada leaves, nothing has changed', UNCHANGED)
    ada = await opens('Ada', 'Ada opens it again')
    await ada.edit('Orders grew in all three regions.')
    service.failNextSave(DISK_FULL)
    await leaves(ada, 'Ada leaves: the save is refused', REFUSED)
    ada = await opens('Ada', 'Ada opens it: her changes are there')
    await leaves(ada, 'Ada leaves: the file is replaced', SAVED)

    ada = await opens('Ada', 'Ada opens the new content')
    await leaves(ada, 'Ada leaves, nothing has changed', UNCHANGED)
    await replaceFile('Another program replaces the file', 'en')
    ada = await opens('Ada', 'Ada opens what it has written')
    await ada.edit('Orders grew in all three regions.')

    await replaceFile('It replaces the file again, while Ada edits', 'de')
    const late = await opens('Ben', 'Ben opens what it has written')
    await late.leave()
    await leaves(ada, 'Ada leaves: her save becomes a conflict copy', SAVED)
    assert.deepEqual(await readFile(service.file), blankDocument('docx', { lang: 'de' }), 'the file stays as it is')
  } finally {
    await service.close()
  }
  return { title: 'The document key stays during a session, and changes with the content.', moments }
}
