import { setTimeout as delay } from 'node:timers/promises'

/** @typedef {import('../kills/processes.js').Service} Service */

const FREEZE_MS = 15_000

/**
 * Kills an instance every few seconds, and suspends one now and then for longer than others wait for it.
 * @param {object} around
 * @param {ReturnType<typeof import('../kills/processes.js').servicePool>} around.pool
 * @param {readonly object[]} around.settings of each instance
 * @param {import('../kills/random.js').Random} around.random
 * @param {import('./counts.js').Counts} around.counts
 * @param {(event: string) => void} around.log
 */
export async function startInstances ({ pool, settings, random, counts, log }) {
  const slots = await Promise.all(settings.map(async own => ({ own, service: await pool.start(own), isFrozen: false })))

  return {
    /** @param {AbortSignal} signal */
    async disturb (signal) {
      await Promise.all([killing(signal), freezing(signal)])
    },
    async stop () {
      await Promise.all(slots.map(({ service }) => service.kill()))
      await pool.close()
    }
  }

  /** @param {AbortSignal} signal */
  async function killing (signal) {
    while (await elapses(2000 + random.below(3000), signal)) {
      // Mostly the one that works.
      const awake = slots.filter(({ isFrozen }) => !isFrozen)
      const slot = random.of(awake.length === 0 || random.chance(0.1) ? slots : awake)
      log(`kills ${slot.service.pid}${slot.isFrozen ? ', which is suspended' : ''}`)
      await slot.service.kill()
      counts.kills++
      await delay(random.below(1500))
      slot.service = await pool.start(slot.own)
      slot.isFrozen = false
      log(`started ${slot.service.pid}`)
    }
  }

  /** @param {AbortSignal} signal */
  async function freezing (signal) {
    while (await elapses(1000 + random.below(4000), signal)) {
      const slot = random.of(slots)
      const { service } = slot
      log(`suspends ${service.pid}`)
      service.signal('SIGSTOP')
      slot.isFrozen = true
      counts.freezes++
      await elapses(FREEZE_MS, signal)
      service.signal('SIGCONT')
      if (slot.service === service) slot.isFrozen = false
      log(`resumes ${service.pid}`)
    }
  }
}

/**
 * Whether so much time has passed before the signal.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
async function elapses (milliseconds, signal) {
  return await delay(milliseconds, true, { signal }).catch(() => false)
}
