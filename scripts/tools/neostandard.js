export { default } from 'neostandard'
