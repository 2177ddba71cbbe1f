// Errors that a page can distinguish by their `code`: `instanceof` fails if a page has two copies of this module.

/** @import { CaptureErrorCode } from './index.js' */

/**
 * Why `captureDocument` got no document:
 *
 * | code | when | what to do |
 * |---|---|---|
 * | `not-mounted` | There is no editor in the fragment. | Wait for `mountEditor()`. |
 * | `closed` | The editor was closed meanwhile. | |
 * | `timeout` | The editor has not answered in time. | Try again, or pass a `signal` of your own. |
 * | `denied` | The user has no right to download the document. | Set `permissions.download`. |
 * | `format` | The editor cannot make this format; `fileType` is its own choice. | Ask for another format. |
 * | `failed` | The editor could not make the file (`errorCode`, and its data as `cause`), or the proxy action answered
 *   an error (`status`). | See the message. |
 * | `expired` | The tokens of the page have expired. | Reload the page. |
 * | `unreachable` | The application did not answer. | Try again. |
 */
export class CaptureError extends Error {
  /**
   * @param {CaptureErrorCode} code
   * @param {string} message
   * @param {{ cause?: unknown, errorCode?: number, status?: number, fileType?: string }} [details]
   */
  constructor (code, message, { cause, errorCode, status, fileType } = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'CaptureError'
    this.code = code
    /** The editor's code, for `failed` and `denied`. */
    this.errorCode = errorCode
    /** Status of the proxy action's answer, for `failed` and `expired`. */
    this.status = status
    /** The format that the editor made, for `format`. */
    this.fileType = fileType
  }
}

/** The document server's script has refused the configuration. It only informs the user, by `alert`. */
export class NoFrameError extends Error {
  /** @param {string} fileType */
  constructor (fileType) {
    super(`The document server's script made no frame for the format ${fileType}`)
    this.name = 'NoFrameError'
    /** What the module reports to the application. */
    this.code = 'no-frame'
  }
}

/** The page's Content-Security-Policy does not allow the document server's script or the editor's frame. */
export class PolicyError extends Error {
  /** @param {SecurityPolicyViolationEvent} violation */
  constructor ({ blockedURI, effectiveDirective, originalPolicy }) {
    const [blocked, general] = effectiveDirective === 'frame-src' ? ['frame', 'child-src'] : ['script', 'script-src']
    const directives = originalPolicy.split(';').map(directive => directive.trim().split(/\s/, 1)[0])
    const directive = [effectiveDirective, general, 'default-src'].find(name => directives.includes(name))
    super(`The page's Content-Security-Policy blocks the document server's ${blocked}: its ${directive} must allow ${
      new URL(blockedURI).origin}`)
    this.name = 'PolicyError'
    /** What the module reports to the application. */
    this.code = 'csp'
  }
}

const UNSENT = 'The editor still has unsent changes after {timeout} ms'
const DISCARD = 'discard them with { force: true }'

/** Why an editor was not closed. */
const KEPT = {
  unsent: `${UNSENT}: try again, or ${DISCARD}`,
  strict: `${UNSENT}: in strict co-editing it sends nothing until the user saves: press Save first, or ${DISCARD}`,
  unanswered: 'The editor asked the user whether to close, such as with an open cell, and the user did not agree ' +
    'within {timeout} ms: try again, or lose the text in the cell with { force: true }',
  continued: 'The editor asked the user whether to close, and the user went on editing'
}

/**
 * `unmountEditor` did not close the editor: it still has changes that the document server does not have.
 * `{ force: true }` discards them.
 */
export class UnsentChangesError extends Error {
  /**
   * @param {keyof typeof KEPT} reason
   * @param {number} timeout In milliseconds.
   */
  constructor (reason, timeout) {
    super(KEPT[reason].replace('{timeout}', String(timeout)))
    this.name = 'UnsentChangesError'
    this.code = /** @type {const} */ ('unsent')
    this.reason = reason
  }
}

/** An action of the page failed. */
export class ActionError extends Error {
  /**
   * @param {number} status Status of the answer, 0 without one.
   * @param {string} code Code of the application's error.
   * @param {string} message Message for the developer.
   * @param {ErrorOptions & { forUser?: string }} [options]
   */
  constructor (status, code, message, { forUser = '', ...options } = {}) {
    super(message, options)
    this.name = 'ActionError'
    this.status = status
    this.code = code
    /** What the application tells the user. */
    this.forUser = forUser
  }
}
