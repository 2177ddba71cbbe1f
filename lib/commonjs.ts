import * as exported from './exports.js'

const { default: editor, ...named } = exported

/** What `require()` returns: the plugin, with the named exports as its properties. */
export const commonjs: typeof editor & Omit<typeof exported, 'default'> = Object.assign(editor, named)
