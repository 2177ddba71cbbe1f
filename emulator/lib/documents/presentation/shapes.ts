import type { Document, Element } from '@xmldom/xmldom'
import { childElements, elements, firstChild } from '../office/elements.js'
import { boxFrom, colorFrom } from '../prose/prose.js'

const DEFAULT_SIZE = { cx: 12_192_000, cy: 6_858_000 }
const EMU_PER_POINT = 12_700

type Move = (x: number, y: number) => readonly [number, number]

/** The places and sizes of shapes on slides. */
export function shapesOf (presentation: Document) {
  const size = elements(presentation, 'sldSz')[0]
  const cx = numberOf(size, 'cx') || DEFAULT_SIZE.cx
  const cy = numberOf(size, 'cy') || DEFAULT_SIZE.cy

  return {
    /** In per cent of the slide; `null` for one without a place. */
    boxOf (shape: Element, move: Move): string | null {
      const transform = firstChild(shape, 'xfrm') ?? firstChild(firstChild(shape, 'spPr'), 'xfrm')
      const [offset, extent] = [firstChild(transform, 'off'), firstChild(transform, 'ext')]
      if (offset === undefined || extent === undefined) return null
      const [left, top] = move(numberOf(offset, 'x'), numberOf(offset, 'y'))
      const [right, bottom] = move(
        numberOf(offset, 'x') + numberOf(extent, 'cx'),
        numberOf(offset, 'y') + numberOf(extent, 'cy')
      )
      return boxFrom(left / cx, top / cy, Math.max(right - left, 0) / cx, Math.max(bottom - top, 0) / cy)
    },
    /** A size of letters, in per cent of the slide's width. */
    widthOf: (points: number) => Math.round(points * EMU_PER_POINT / cx * 1000) / 10
  }
}

export type Shapes = ReturnType<typeof shapesOf>

/** From the coordinates in a group to those around it. */
export function moveOf (group: Element, around: Move): Move {
  const transform = firstChild(firstChild(group, 'grpSpPr'), 'xfrm')
  const at = (name: string, value: string) => numberOf(firstChild(transform, name), value)
  const scale = (value: 'cx' | 'cy') => at('chExt', value) === 0 ? 1 : at('ext', value) / at('chExt', value)
  return (x, y) => around(
    at('off', 'x') + (x - at('chOff', 'x')) * scale('cx'),
    at('off', 'y') + (y - at('chOff', 'y')) * scale('cy')
  )
}

/** `#rrggbb`; `null` for a colour of the theme, and for none. */
export function fillOf (properties: Element | undefined): string | null {
  return colorFrom(firstChild(firstChild(properties, 'solidFill'), 'srgbClr')?.getAttribute('val'))
}

export function placeholderOf (shape: Element): Element | undefined {
  return childElements(shape).filter(({ localName }) => localName === 'nvSpPr' || localName === 'nvPicPr')
    .flatMap(properties => elements(properties, 'ph'))[0]
}

function numberOf (element: Element | undefined, name: string): number {
  const value = Number(element?.getAttribute(name))
  return Number.isFinite(value) ? value : 0
}
