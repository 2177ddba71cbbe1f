import type { FaultOptions, Faults } from './types.js'

export interface FaultRegistry {
  /** Returns what takes the fault back. */
  add<Route extends keyof Faults>(route: Route, fault: Faults[Route], options?: FaultOptions): () => void
  /** The fault that strikes this call of the route, if there is one. */
  take<Route extends keyof Faults>(route: Route): Faults[Route] | undefined
}

interface Planned {
  readonly route: keyof Faults
  readonly fault: Faults[keyof Faults]
  after: number
  times: number
}

/** Of several faults of a route the one that was added first strikes; the others see only the calls that are left. */
export function faultRegistry (): FaultRegistry {
  const planned = new Set<Planned>()

  return {
    add (route, fault, { times = 1, after = 0 } = {}) {
      if (!(times >= 1) || !(after >= 0)) throw new TypeError('times must be 1 or more, after 0 or more')
      const plan = { route, fault, after, times }
      planned.add(plan)
      return () => { planned.delete(plan) }
    },
    take (route) {
      for (const plan of planned) {
        if (plan.route !== route) continue
        if (plan.after > 0) {
          plan.after--
          continue
        }
        if (--plan.times <= 0) planned.delete(plan)
        return plan.fault as Faults[typeof route]
      }
      return undefined
    }
  }
}
