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

t.test('every error says whether it is retryable: by its class, a failed request also by its status', t => {
  const retryable = classes.filter(([, ErrorClass]) => new ErrorClass('x', 'y').retryable).map(([name]) => name)
  t.strictSame(retryable.sort(), [
    'BeingEditedError', 'BusyError', 'ConversionTimeoutError', 'ForceSaveTimeoutError', 'HookTimeoutError',
    'InspectionFailedError', 'StorageError', 'StorageTimeoutError', 'TooManyRequestsError', 'UpstreamError',
    'UpstreamTimeoutError'
  ])
  t.equal(new errors.UpstreamError('status 404', { retryable: false }).retryable, false)
  t.end()
})
