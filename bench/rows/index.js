// All rows, in the order of the table.
import { callback } from './callback.js'
import { config } from './config.js'
import { download } from './download.js'
import { imports } from './import.js'
import { save } from './save.js'

/** @type {import('../framework/measure.js').Row[]} */
export const rows = [
  ...download,
  callback,
  ...save,
  config,
  ...imports
]
