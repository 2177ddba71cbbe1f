export { editor as default } from './editor.js'
export { commonjs as 'module.exports' } from './commonjs.js'
export * from './exports.js'
