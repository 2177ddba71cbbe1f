/** What goes wrong with an answer of the document server. */
export type AnswerFault =
  /** Sends the header and so many bytes of the body (default 0), then nothing more. */
  | { readonly type: 'stall', readonly afterBytes?: number }
  /** Sends the body in pieces of so many bytes (default 1024), one each so many milliseconds (default 1000). */
  | { readonly type: 'drip', readonly bytes?: number, readonly everyMs?: number }
  /** Sends the header and so many bytes of the body (default 0), then resets the connection. Of megabytes some are lost on the way. */
  | { readonly type: 'reset', readonly afterBytes?: number }
  /** Announces a length that is off by so many bytes, no less than 0, and closes the connection after the body. */
  | { readonly type: 'length', readonly by: number }
  /** Something else instead. */
  | { readonly type: 'answer', readonly status: number, readonly body?: string | Uint8Array, readonly headers?: Readonly<Record<string, string>> }
  /** An error page in HTML, with status 200 (default) or another. */
  | { readonly type: 'html', readonly status?: number }
  /** The right answer, late. */
  | { readonly type: 'delay', readonly ms: number }

/** Announces files at another origin. */
export interface OtherOrigin {
  readonly type: 'origin'
  readonly origin: string
}

/** What goes wrong with a callback that is sent. */
export type CallbackFault =
  | OtherOrigin
  /** Sends it twice, one after the other. */
  | { readonly type: 'duplicate' }
  /** Holds it back until the next callback of the document has been answered. A 2 or 3 is never held back, nor counted. */
  | { readonly type: 'reorder' }

export interface Faults {
  /** Files that callbacks, commands and conversions name. */
  readonly file: AnswerFault
  readonly converter: AnswerFault | OtherOrigin
  readonly command: AnswerFault
  readonly healthcheck: AnswerFault
  /** The script that pages load. */
  readonly api: AnswerFault
  readonly callback: CallbackFault
  /** Putting the document together to save it, finished or by force. A slow one may fail too. */
  readonly assembly:
    /** Fails: status 3 or 7. `corrupted`: there is a result, but a bad one. */
    | { readonly type: 'fail', readonly corrupted?: boolean }
    /** Takes so long; meanwhile others may come and go, edit and ask for more saves. */
    | { readonly type: 'slow', readonly ms: number }
  readonly conversion:
    /** Takes so much longer. */
    | { readonly type: 'slow', readonly ms: number }
    /** Fails with one of the error codes, -1 to -10. */
    | { readonly type: 'error', readonly error: number }
}

export interface FaultOptions {
  /** How many calls it strikes. Default 1; `Infinity` until it is taken back. */
  readonly times?: number
  /** How many calls it spares first. Default 0. */
  readonly after?: number
}
