import type { Language } from './language.js'
import type { Paper } from './paper.js'

const TWIPS_PER_POINT = 20

/** One empty page. Source of the syntax: ISO 32000-1. */
export function pdfFile ({ tag, writing }: Language, { width, height }: Paper): Buffer {
  const direction = writing === 'right-to-left' ? ' /ViewerPreferences << /Direction /R2L >>' : ''
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /Lang (${tag})${direction} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width / TWIPS_PER_POINT} ${height / TWIPS_PER_POINT}] /Resources << >> >>`
  ]
  let file = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n' // bytes beyond ASCII tell that it is binary
  const positions = objects.map((object, index) => {
    const position = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return position
  })
  const entries = positions.map(position => `${String(position).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  return Buffer.from(`${file}xref\n0 ${count}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`, 'latin1')
}
