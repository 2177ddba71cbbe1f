import { checkFault } from './check.js'
import type { FaultOptions, Faults } from '../../types/faults.js'

export interface FaultRegistry {
  /** Returns what takes the fault back. */
  add<Route extends keyof Faults>(route: Route, fault: Faults[Route], options?: FaultOptions): () => void
  /** The fault that strikes this call of the route, if there is one. One that can't strike it does not count it. */
  take<Route extends keyof Faults>(route: Route, canStrike?: (fault: Faults[Route]) => boolean): Faults[Route] | undefined
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
    add (route, fault, options = {}) {
      checkFault(route, fault, options)
      const { times = 1, after = 0 } = options
      const plan = { route, fault, after, times }
      planned.add(plan)
      return () => { planned.delete(plan) }
    },
    take (route, canStrike = () => true) {
      for (const plan of planned) {
        const fault = plan.fault as Faults[typeof route]
        if (plan.route !== route || !canStrike(fault)) continue
        if (plan.after > 0) {
          plan.after--
          continue
        }
        if (--plan.times <= 0) planned.delete(plan)
        return fault
      }
      return undefined
    }
  }
}
