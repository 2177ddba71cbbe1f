// All rows, in the order of the table.
import { callback } from './callback.js'
import { config } from './config.js'
import { download } from './download.js'
import { imports } from './import.js'
import { lookup } from './lookup.js'
import { page } from './page.js'
import { proxy } from './proxy.js'
import { save } from './save.js'
import { savesAtOnce } from './saves-at-once.js'
import { start } from './start.js'

/** @type {import('../framework/measure.js').Row[]} */
export const rows = [...download, ...proxy, callback, ...save, savesAtOnce, config, ...lookup, imports, page, start]
