/** @type {import('./index.js').ActionGroup} */
export function favorite ({ ask, answer }) {
  return {
    /** @param {{ favorite?: unknown }} [data] */
    async onMetaChange ({ favorite } = {}) {
      if (typeof favorite !== 'boolean') return
      try {
        await ask('favorite', { favorite })
        answer('setFavorite', favorite)
      } catch (error) {
        answer('setFavorite', !favorite)
        throw error
      }
    }
  }
}
