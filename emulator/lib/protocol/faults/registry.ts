import { validateFault } from './validation.js'
import type { FaultOptions, Faults } from '../../../types/faults.js'

export type FaultRegistry = ReturnType<typeof faultRegistry>

/** If a route has several faults, the one added first applies. The others count only the calls it leaves. */
export function faultRegistry () {
  const planned = new Set<{ route: keyof Faults, fault: Faults[keyof Faults], after: number, times: number }>()

  return {
    /** Returns a function that removes the fault. */
    add<Route extends keyof Faults> (route: Route, fault: Faults[Route], options: FaultOptions = {}): () => void {
      validateFault(route, fault, options)
      const { times = 1, after = 0 } = options
      const plan = { route, fault, after, times }
      planned.add(plan)
      return () => { planned.delete(plan) }
    },
    /** The fault that applies to this call of the route, if any. A fault that can't apply does not count the call. */
    take<Route extends keyof Faults> (
      route: Route,
      canApply: (fault: Faults[Route]) => boolean = () => true
    ): Faults[Route] | undefined {
      for (const plan of planned) {
        const fault = plan.fault as Faults[Route]
        if (plan.route !== route || !canApply(fault)) continue
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
