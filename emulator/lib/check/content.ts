const END_OF_ZIP = Buffer.from([0x50, 0x4B, 0x05, 0x06])
const COMMENT_LENGTH_AT = 20

/** Other bytes of the format that contain a mark: as the comment of a zip file, the end of a PDF, or the whole text. */
export function contentWith (base: Buffer, fileType: string, mark: string): Buffer {
  const end = base.lastIndexOf(END_OF_ZIP)
  if (base.subarray(0, 2).toString() === 'PK' && end >= 0) {
    const comment = Buffer.from(mark)
    const record = Buffer.from(base.subarray(0, end + COMMENT_LENGTH_AT + 2))
    record.writeUInt16LE(comment.length, end + COMMENT_LENGTH_AT)
    return Buffer.concat([record, comment])
  }
  if (base.subarray(0, 5).toString() === '%PDF-') return Buffer.concat([base, Buffer.from(`\n% ${mark}\n`)])
  return Buffer.from(`${fileType === 'csv' ? '\uFEFF' : ''}${mark}\n`)
}
