// Colors of notices and dialogs. System colors follow the page's color scheme and the user's settings.

/** The page's accent color. */
const ACCENT = 'var(--onlyoffice-accent, #2f5fb3)'

/** The accent for lines and links, which need a lighter one in the dark. */
export const LINE = 'var(--onlyoffice-line)'
export const BORDER = 'color-mix(in srgb, CanvasText 22%, Canvas)'
export const HOVER = 'color-mix(in srgb, CanvasText 8%, Canvas)'

/**
 * Rules for the lines, the buttons and the focus in an element. A secondary button has two classes: `button` and, with
 * `-secondary`, a second one.
 * @param {string} within Its selector.
 * @param {string} button
 */
export const controls = (within, button) => `
${within} { --onlyoffice-line: color-mix(in srgb, ${ACCENT} 75%, CanvasText) }
@supports (color: light-dark(red, red)) {
  ${within} { --onlyoffice-line: light-dark(${ACCENT}, color-mix(in srgb, ${ACCENT} 65%, white)) }
}
${within} .${button} {
  flex: none; margin: 0; padding: .5rem 1.125rem; border: 1px solid transparent; border-radius: .375rem;
  background: ${ACCENT}; color: #fff; font: inherit; font-weight: 600; cursor: pointer;
}
@supports (color: oklch(from red l c h)) {
  ${within} .${button} { color: oklch(from ${ACCENT} clamp(0, (.65 - l) * 1000, 1) 0 0) }
}
${within} .${button}:hover { background: color-mix(in srgb, ${ACCENT} 85%, CanvasText) }
${within} .${button}-secondary { border-color: ${BORDER}; background: Canvas; color: CanvasText }
${within} .${button}-secondary:hover { background: ${HOVER} }
${within} :focus-visible { outline: 2px solid ${LINE}; outline-offset: 2px }
`
