import t from 'tap'
import * as errors from '../../lib/errors.js'

const { EditorError, ...others } = errors
const classes = Object.entries(others).filter(([name]) => name.endsWith('Error')) as unknown as Array<[string, new (...args: unknown[]) => errors.EditorError]>

t.test('every error is an Error with an HTTP status and carries its cause', t => {
  const cause = new Error('the reason')
  for (const [name, ErrorClass] of classes) {
    const parameters = (new ErrorClass().message.match(/%[sd]|undefined|this fileId/g) ?? []).map(() => '7')
    const error = new ErrorClass(...parameters, { cause })
    t.ok(error instanceof Error && error instanceof EditorError && error instanceof ErrorClass, name)
    t.notOk(new Error('other') instanceof ErrorClass, name)
    t.ok(error.statusCode >= 400 && error.statusCode <= 599, name)
    t.equal(error.cause, cause, name)
    t.notMatch(error.message, /%[sd]/, name)
  }
  t.end()
})

t.test('a retryable error has status 503, unless another is more exact, and no other error has', t => {
  for (const [name, ErrorClass] of classes) {
    const { retryable, statusCode } = new ErrorClass('x', 'y')
    t.not(statusCode, retryable ? 500 : 503, name)
  }
  t.match(new errors.StorageError('it is full'), { retryable: true, statusCode: 503 })
  t.match(new errors.StorageError('it is damaged', { retryable: false }), { retryable: false, statusCode: 500 })
  t.equal(new errors.UpstreamError('status 404', { retryable: false }).statusCode, 502)
  t.end()
})

t.test('in a log an error has the name of its class, also where its stack begins', t => {
  const error = new errors.BusyError('others save it')
  t.equal(String(error), 'BusyError: The document is busy: others save it')
  t.ok(error.stack?.startsWith(`${error}\n`))
  t.end()
})
