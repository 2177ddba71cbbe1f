export const SECRET = 'a-secret-of-the-kill-tests-0123456789'
export const HANDLER = '/handler'
/** What all instances are known as. Nobody ever connects to it. */
export const PUBLIC = 'http://documents.test'
