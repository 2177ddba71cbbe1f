// The device that shows the page: api.js detects none, and loads the editor for desktops unless it is told otherwise.

/** CSS pixels of the screen's shorter side: tablets have fewer. */
const LARGE_SCREEN = 1080

/**
 * `mobile` on phones and tablets: their primary pointer is a finger, and their screen is small. The screen, not the window: a narrow window
 * does not make a phone of a desktop, and its shorter side is the same however the device is turned.
 * @returns {'desktop' | 'mobile'}
 */
export function layoutOfDevice () {
  const isTouched = matchMedia('(pointer: coarse)').matches
  return isTouched && Math.min(screen.width, screen.height) < LARGE_SCREEN ? 'mobile' : 'desktop'
}
