// What is on the disk, read without the library: after a kill, before the restart, nobody else can tell.
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { versionOf } from './documents.js'

const OWN = '.fastify-onlyoffice'

/**
 * The newest generation of a document's record.
 * @typedef {object} Generation
 * @property {{
 *   content: { name: string } | null,
 *   state: { value: { saves: { path?: string }[] } } | null
 * } | null} record
 */

/**
 * Names of the documents.
 * @param {string} directory
 */
export async function documentNames (directory) {
  return (await readdir(directory)).filter(name => !name.startsWith('.'))
}

/**
 * Everything that is neither a document, nor a generation of a record, nor named by the newest one as anything but the
 * present content, which is elsewhere. What a killed process leaves is there until a sweep.
 * @param {string} directory
 */
export async function tempNames (directory) {
  const folders = (await readdir(join(directory, OWN), { recursive: true })).filter(name => name.split(/[/\\]/).length === 2)
  const left = await Promise.all(folders.map(async folder => {
    const names = await readdir(join(directory, OWN, folder))
    const { record } = await newestIn(join(directory, OWN, folder))
    const text = JSON.stringify(record)
    const isNamed = (/** @type {string} */ name) => name !== record?.content?.name && text.includes(name.replace(/\.(kept|copy)$/, ''))
    return names.filter(name => !isNumber(name) && !isNamed(name)).map(name => join(folder, name))
  }))
  return [...(await readdir(directory)).filter(name => name.startsWith('.') && name !== OWN), ...left.flat()]
}

/**
 * @param {string} directory
 * @param {string} name
 * @returns {Promise<number | undefined>} undefined when it is not one whole version
 */
export async function storedVersion (directory, name) {
  const fileId = name.slice(0, name.lastIndexOf('.'))
  return versionOf(await readFile(join(directory, name)), fileId)
}

/**
 * Versions of a document that were stored in documents of their own.
 * @param {string} directory
 * @param {string} fileId
 */
export async function versionsBeside (directory, fileId) {
  const names = (await documentNames(directory)).filter(name => !name.startsWith(`${fileId}.`))
  const versions = await Promise.all(names.map(async name => versionOf(await readFile(join(directory, name)), fileId)))
  return versions.filter(version => version !== undefined)
}

/**
 * Where the generations of a document's record are.
 * @param {string} directory
 * @param {string} fileId
 */
export function folderOf (directory, fileId) {
  const name = createHash('sha256').update(fileId).digest('hex')
  return join(directory, OWN, name.slice(0, 2), name.slice(2, 34))
}

/**
 * @param {string} directory
 * @param {string} fileId
 */
export async function recordOf (directory, fileId) {
  return (await newestIn(folderOf(directory, fileId))).record
}

/**
 * @param {string} folder
 * @returns {Promise<Generation>}
 */
async function newestIn (folder) {
  const numbers = (await readdir(folder)).filter(isNumber).map(Number)
  if (numbers.length === 0) return { record: null }
  const path = join(folder, String(Math.max(...numbers)))
  const isFolder = (await stat(path)).isDirectory() // where there are no hard links
  return JSON.parse(await readFile(isFolder ? join(path, 'record') : path, 'utf8'))
}

/** @param {string} name */
export function isNumber (name) {
  return /^\d+$/.test(name)
}
