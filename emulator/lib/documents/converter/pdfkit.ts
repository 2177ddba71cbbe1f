// The build replaces this module by a bundle.
export { default } from 'pdfkit'
