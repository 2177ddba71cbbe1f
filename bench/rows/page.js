import { startProgram } from '../framework/program.js'
import { median } from '../framework/statistics.js'

/** @typedef {import('../framework/measure.js').Figures} Figures */
/** @typedef {import('../load/pages.js').Opening} Opening */

const ROUNDS = { full: 11, quick: 5 }

/** @type {Figures} */
export const page = {
  name: 'page',
  title: "A page with an editor: from the navigation to the request for the editor's frame",
  does:
    'Chromium, each request delayed by 50 ms, in a new profile: the page twice. By hand: api.js in the head, the same configuration in an inline script; in turns',
  checked: false, // a browser on two cores
  processes: 1, // of the application; each opening has a browser profile of its own
  long: true,
  figures: {
    cold: { name: 'empty cache', unit: 'ms' },
    coldByHand: { name: 'empty cache, page by hand', unit: 'ms' },
    coldRatio: { name: 'empty cache, × page by hand', unit: '×', atMost: 1.1 },
    coldRequests: { name: 'empty cache, requests to the application', unit: '', atMost: 2 },
    warm: { name: 'second time', unit: 'ms' },
    warmByHand: { name: 'second time, page by hand', unit: 'ms' },
    warmRatio: { name: 'second time, × page by hand', unit: '×', atMost: 1.1 },
    warmRequests: { name: 'second time, requests to the application', unit: '', atMost: 1 }
  },
  async measure (mode) {
    const documentServer = await startProgram('load/emulator.js', 'measured')
    const application = await startProgram('candidates/page.js', 'measured', {
      documentServer: documentServer.started.url
    })
    const browser = await startProgram('load/pages.js', 'load')
    try {
      /** @type {Record<string, Array<{ cold: Opening, warm: Opening }>>} */
      const taken = { plugin: [], 'by-hand': [] }
      // The first round is not counted.
      for (let round = 0; round <= ROUNDS[mode.name]; round++) {
        for (const [page, openings] of Object.entries(taken)) {
          const opening = await browser.call('open', `${application.started.url}/${page}`)
          if (round > 0) openings.push(opening)
        }
      }
      await browser.call('end')
      const time = (/** @type {string} */ page, /** @type {'cold' | 'warm'} */ when) =>
        median((taken[page] ?? []).map(opening => opening[when].seconds)) * 1000
      const requests = (/** @type {'cold' | 'warm'} */ when) =>
        Math.max(...(taken.plugin ?? []).map(opening => opening[when].requests))
      return {
        cold: time('plugin', 'cold'),
        coldByHand: time('by-hand', 'cold'),
        coldRatio: time('plugin', 'cold') / time('by-hand', 'cold'),
        coldRequests: requests('cold'),
        warm: time('plugin', 'warm'),
        warmByHand: time('by-hand', 'warm'),
        warmRatio: time('plugin', 'warm') / time('by-hand', 'warm'),
        warmRequests: requests('warm')
      }
    } finally {
      await Promise.all([browser.stop(), application.stop(), documentServer.stop()])
    }
  }
}
