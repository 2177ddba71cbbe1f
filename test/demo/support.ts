interface PageImage {
  readonly naturalWidth: number
  decode (): Promise<void>
}

/** Pixels of an image that the page shows; it rejects if it can't be shown. Runs in the page. */
export async function widthOf (element: unknown): Promise<number> {
  const image = element as PageImage
  await image.decode()
  return image.naturalWidth
}
