// All rows, in the order of the table.
import { callback } from './callback.js'
import { callbacksSustained } from './callbacks-sustained.js'
import { calls } from './calls.js'
import { config } from './config.js'
import { download } from './download.js'
import { imports } from './import.js'
import { lookup } from './lookup.js'
import { pages } from './page.js'
import { proxy } from './proxy.js'
import { records } from './records.js'
import { save } from './save.js'
import { savesAtOnce, smallSavesAtOnce } from './saves-at-once.js'
import { start } from './start.js'

/** @type {import('../framework/measure.js').Row[]} */
export const rows = [
  ...download,
  ...proxy,
  callback,
  ...save,
  savesAtOnce,
  smallSavesAtOnce,
  config,
  ...lookup,
  ...imports,
  ...pages,
  start,
  callbacksSustained,
  records,
  calls
]
