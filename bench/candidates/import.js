// Imports one module, in a process that has imported nothing before.
import { answerCalls } from '../framework/child.js'

answerCalls({
  start () {},
  /** @param {string[]} modules */
  async import (modules) {
    const rss = process.memoryUsage.rss()
    const cpu = process.cpuUsage()
    const started = performance.now()
    for (const module of modules) await import(module)
    const { user, system } = process.cpuUsage(cpu)
    return {
      operations: 1,
      seconds: (performance.now() - started) / 1000,
      cpu: (user + system) / 1e6,
      rss: (process.memoryUsage.rss() - rss) / 1e6
    }
  }
})
