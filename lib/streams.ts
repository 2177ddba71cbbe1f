import { Readable } from 'node:stream'

/**
 * Lets a stream fail before anyone reads it: without a listener for its error the process would end. Whoever reads it later
 * still gets the error. Content that is not a stream is returned as it is.
 */
export function deferErrors<Content> (content: Content): Content {
  // A stream without autoDestroy would emit its error, go on, and seem complete to a late reader.
  if (content instanceof Readable) content.on('error', error => { content.destroy(error) })
  return content
}

/** Destroys a stream that nobody will read, and ignores its errors. */
export function discard (stream: Readable): void {
  stream.on('error', () => {})
  stream.destroy()
}
