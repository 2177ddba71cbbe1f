/** A fault in an answer of the document server. */
export type AnswerFault =
  /** Sends the headers and `afterBytes` bytes of the body (default 0), then nothing more. */
  | { readonly type: 'stall', readonly afterBytes?: number }
  /** Sends the body in pieces of `bytes` bytes (default 1024), one every `everyMs` milliseconds (default 1000). */
  | { readonly type: 'drip', readonly bytes?: number, readonly everyMs?: number }
  /**
   * Sends the headers and `afterBytes` bytes of the body (default 0), then resets the connection. Several megabytes may
   * not arrive completely.
   */
  | { readonly type: 'reset', readonly afterBytes?: number }
  /**
   * Sends a `Content-Length` that is wrong by `by` bytes, but not below 0, and closes the connection after the body.
   */
  | { readonly type: 'length', readonly by: number }
  /** Sends another answer. */
  | {
    readonly type: 'answer',
    readonly status: number,
    readonly body?: string | Uint8Array,
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Sends an HTML error page with this status (default 200). */
  | { readonly type: 'html', readonly status?: number }
  /** Sends the correct answer after `ms` milliseconds. */
  | { readonly type: 'delay', readonly ms: number }

/** Announces files at another origin, as behind a proxy that drops `X-Forwarded-Proto` or replaces `Host`. */
export interface OriginFault {
  readonly type: 'origin'
  readonly origin: string
}

/** A fault in a callback. */
export type CallbackFault =
  | OriginFault
  /** Sends the callback twice, one after the other. */
  | { readonly type: 'duplicate' }
  /**
   * Holds the callback back until the document's next callback has been answered. A 2 or 3 is neither held back nor
   * counted.
   */
  | { readonly type: 'reorder' }

/** The faults of each route. */
export interface Faults {
  /** Result files. Their URLs are in callbacks and in the answers to commands and conversions. */
  readonly file: AnswerFault
  readonly converter: AnswerFault | OriginFault
  readonly command: AnswerFault | OriginFault
  /** The document builder, `/docbuilder`. */
  readonly builder: AnswerFault | OriginFault
  /** The list of formats, `/meta/formats`. Answer HTTP 404 to emulate a document server without a list. */
  readonly formats: AnswerFault
  /** The health check. Answer status 200 with the body `false` to emulate an unhealthy document server. */
  readonly healthcheck: AnswerFault
  /** The script `api.js`. Answer HTTP 404 to emulate a missing script. */
  readonly api: AnswerFault
  readonly callback: CallbackFault
  /**
   * Assembling a document for a finished save or a force save. A `slow` and a `fail` fault can apply to the same
   * assembly.
   */
  readonly assembly:
    /** Fails: the callback has status 3 or 7. `corrupted`: with a bad result, instead of none. */
    | { readonly type: 'fail', readonly corrupted?: boolean }
    /** Takes `ms` milliseconds. Meanwhile others may join, leave, edit and save. */
    | { readonly type: 'slow', readonly ms: number }
  /**
   * The conversion of a document that is being opened, after its download. It fails with this code, which the key keeps
   * for good.
   */
  readonly opening: { readonly type: 'error', readonly error: -80 | -82 }
  /**
   * A conversion, or a file that an editor in the page makes with `downloadAs`; its `onWarning` then has the code -83.
   */
  readonly conversion:
    /** Takes `ms` milliseconds longer. */
    | { readonly type: 'slow', readonly ms: number }
    /** Fails with an error code from -1 to -10. */
    | { readonly type: 'error', readonly error: number }
  /** A build of the document builder. */
  readonly building: Faults['conversion']
}

export interface FaultOptions {
  /**
   * The number of calls the fault applies to. `Infinity`: until it is removed.
   *
   * @default 1
   */
  readonly times?: number
  /**
   * The number of calls to let pass first.
   *
   * @default 0
   */
  readonly after?: number
}
