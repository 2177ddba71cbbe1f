import { fileURLToPath } from 'node:url'

/** DejaVu Sans covers Latin, Greek and Cyrillic. */
export const FONTS = { text: fontFile('DejaVuSans'), bold: fontFile('DejaVuSans-Bold') } as const

function fontFile (name: string): string {
  return fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
}
