import { fileURLToPath } from 'node:url'

export const FONT = 'Arimo'

/** Arimo covers Latin, Greek, Cyrillic and Hebrew. */
export const FONTS = { text: fontFile('400Regular'), bold: fontFile('700Bold') } as const

function fontFile (name: string): string {
  return fileURLToPath(import.meta.resolve(`@expo-google-fonts/arimo/${name}/${FONT}_${name}.ttf`))
}
