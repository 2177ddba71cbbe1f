export { default } from './exports.js'
export { commonjs as 'module.exports' } from './commonjs.js'
export * from './exports.js'
