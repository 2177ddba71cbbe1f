import { mkdir, writeFile } from 'node:fs/promises'
import { blankDocument } from 'fastify-onlyoffice'

/**
 * Puts an empty `report.docx` into a directory of `fileStorage`, unless there is one.
 * @param {string} directory
 */
export async function firstDocument (directory) {
  await mkdir(directory, { recursive: true })
  await writeFile(`${directory}/report.docx`, blankDocument('docx'), { flag: 'wx' }).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
}
