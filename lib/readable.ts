import { Readable } from 'node:stream'

/**
 * A stream that may fail while nobody reads it, or anything else: that ends no process, and whoever reads it later is told.
 */
export function heard<Content> (content: Content): Content {
  // One that goes on after its error would come to a clean end later.
  if (content instanceof Readable) content.on('error', error => { content.destroy(error) })
  return content
}

/** Gives a stream up. What it still has to say, an error included, is of no interest. */
export function discard (body: Readable): void {
  body.on('error', () => {})
  body.destroy()
}
