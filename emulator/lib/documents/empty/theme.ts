import { DECLARATION } from './xml.js'

const COLOURS: Readonly<Record<string, string>> = {
  dk1: '000000',
  lt1: 'FFFFFF',
  dk2: '333333',
  lt2: 'EEEEEE',
  accent1: '3366CC',
  accent2: 'CC3333',
  accent3: '339966',
  accent4: 'CC9933',
  accent5: '663399',
  accent6: '339999',
  hlink: '0000EE',
  folHlink: '551A8B'
}

const FONT = '<a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/>'
const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
const LINE = `<a:ln>${FILL}</a:ln>`
const EFFECT = '<a:effectStyle><a:effectLst/></a:effectStyle>'

/** The theme of a presentation. It must have three of each style. */
export function themePart (): string {
  const colours = Object.entries(COLOURS).map(([name, value]) => `<a:${name}><a:srgbClr val="${value}"/></a:${name}>`)
    .join('')
  const styles = [
    `<a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst>`,
    `<a:lnStyleLst>${LINE.repeat(3)}</a:lnStyleLst>`,
    `<a:effectStyleLst>${EFFECT.repeat(3)}</a:effectStyleLst>`,
    `<a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst>`
  ].join('')
  return `${DECLARATION}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">${colours}</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>${FONT}</a:majorFont><a:minorFont>${FONT}</a:minorFont></a:fontScheme><a:fmtScheme name="Plain">${styles}</a:fmtScheme></a:themeElements></a:theme>`
}
