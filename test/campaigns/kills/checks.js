import { documentNames, storedVersion } from './directory.js'
import { download, openedKey } from './document-server.js'
import { versionOf } from './documents.js'
import { newestAcknowledged, violated } from './edited-file.js'
import { checkHistory } from './history.js'

/** @typedef {import('./edited-file.js').EditedFile} EditedFile */
/** @typedef {import('./processes.js').Service} Service */

/**
 * Every copy of the document is one whole version; the newest is no older than what was acknowledged. Resolves to it.
 * @param {string} directory
 * @param {EditedFile} file
 */
export async function checkOnDisk (directory, file) {
  const names = (await documentNames(directory)).filter(name => name.startsWith(`${file.fileId}.`))
  const versions = await Promise.all(names.map(name => storedVersion(directory, name)))
  const torn = names.filter((_name, index) => versions[index] === undefined)
  if (torn.length > 0) violated(file, `torn: ${torn.join(', ')}`)
  const newest = Math.max(...versions.map(Number))
  if (!(newest >= newestAcknowledged(file))) violated(file, `version ${newestAcknowledged(file)} was acknowledged, version ${newest} is stored`)
  return newest
}

/**
 * What a service gives is what is on the disk, in one file, with no document made beside it.
 * @param {string} directory
 * @param {EditedFile} file
 * @param {{ service: Service, known: ReadonlySet<string> }} around
 */
export async function checkStored (directory, file, { service, known }) {
  const bytes = await download(file.fileId, service.origin) // which finishes what a killed process has recorded
  const stored = await checkOnDisk(directory, file)
  const version = bytes && versionOf(bytes, file.fileId)
  if (version !== stored) violated(file, `version ${stored} is stored, version ${version} is downloaded`)
  await checkHistory(directory, file, stored)
  const names = await documentNames(directory)
  const own = names.filter(name => name.startsWith(`${file.fileId}.`))
  if (own.length !== 1) violated(file, `more than one file: ${own.join(', ')}`)
  const strangers = names.filter(name => !known.has(name.slice(0, name.lastIndexOf('.'))))
  if (strangers.length > 0) violated(file, `documents nobody made: ${strangers.join(', ')}`)
  return stored
}

/**
 * All services give one key: that of the live session, else one that was never saved for good.
 * @param {EditedFile} file
 * @param {readonly Service[]} services
 */
export async function checkKey (file, services) {
  const keys = new Set(await Promise.all(services.map(({ origin }) => openedKey(file.fileId, origin))))
  const [key = ''] = keys
  if (keys.size !== 1) violated(file, `several keys: ${[...keys].join(', ')}`)
  if (file.isLive && key !== file.key) violated(file, `the session of ${file.key} is live, ${key} is handed out`)
  if (file.ended.has(key)) violated(file, `${key} was saved for good and is handed out again`)
  return key
}
