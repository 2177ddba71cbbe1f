const TEXT_FORMATS = new Set(['txt', 'md', 'csv', 'html', 'htm', 'xml'])

/** Whether a format is plain text that can be edited as it is. */
export function isTextFormat (fileType: string): boolean {
  return TEXT_FORMATS.has(fileType)
}
