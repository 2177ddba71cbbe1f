import t from 'tap'
import { createGridHistory } from '../../lib/page/browser/grid/history.js'
import { createGridReplica } from '../../lib/page/browser/grid/replica.js'
import type { CellOperation, GridCell } from '../../lib/documents/grid.js'
import { openEditable } from '../../lib/documents/open.js'
import { randomNumbers } from './pages.js'

type Replica = ReturnType<typeof createGridReplica>
type Content = Parameters<Replica['resync']>[0]
type Message = { readonly operation: CellOperation, readonly by: number } | { readonly received: number }

const CELLS = ['A1', 'B1', 'A2', 'B2', 'C3']

/**
 * Pages that set the cells of one csv at random while messages are late and connections are cut; then everything
 * arrives.
 */
function edit (seed: number) {
  const random = randomNumbers(seed)
  const editable = openEditable('csv', Buffer.from('a,b\n1,2\n'))
  const queues: Message[][] = []
  const pages = [0, 1, 2].map(number => pageOf(number))
  const last = new Map<string, string>()

  function pageOf (number: number) {
    const replica = createGridReplica()
    const shown = new Map<string, string>()
    const view = {
      put: (id: string, cell: GridCell) => { shown.set(id, cell.value) },
      select () {},
      state: () => ({ sheet: '', position: { row: 1, column: 1 }, scroll: [0, 0] as [number, number], draft: null, hadFocus: false }),
      restore () {},
      commit () {},
      isOpen: () => false,
      cancel () {},
      place: () => null,
      mark () {}
    }
    let up: Array<{ readonly batch: number, readonly operations: readonly CellOperation[] }> = []
    let [batch, handled] = [0, 0]
    queues[number] = []
    show(true)

    function show (arrived: boolean): void {
      shown.clear()
      const content = replica.resync(editable.view() as Content, arrived)
      for (const [cell, { value }] of Object.entries(content.sheets[0]!.cells)) shown.set(`Sheet1!${cell}`, value)
      replica.attach(view)
    }

    return {
      shown,
      type: (cell: string, value: string) => { replica.changed(`Sheet1!${cell}`, value) },
      send () {
        if (replica.isSending()) return
        const operations = replica.take()
        if (operations.length > 0) up.push({ batch: ++batch, operations })
      },
      arrive () {
        const message = up.shift()
        if (message === undefined) return
        for (const operation of message.operations) {
          const done = editable.apply(operation) as CellOperation | null
          last.set(operation.cell, operation.value)
          if (done !== null) for (const queue of queues) queue.push({ operation: done, by: number })
        }
        handled = message.batch
        queues[number]!.push({ received: message.batch })
      },
      hear () {
        const message = queues[number]!.shift()
        if (message === undefined) return
        if ('operation' in message) replica.apply(message.operation, message.by === number)
        else if (message.received === batch) replica.received()
      },
      cut () {
        up = []
        queues[number] = []
        show(handled === batch)
      },
      isIdle: () => up.length === 0 && queues[number]!.length === 0 && !replica.isUnsent()
    }
  }

  for (let round = 0; round < 80; round++) {
    const page = pages[random(3)]!
    const kind = random(12)
    if (kind < 7) page.type(CELLS[random(CELLS.length)]!, random(5) === 0 ? '' : `${seed}-${round}`)
    else if (kind === 7) page.cut()
    page.send()
    for (let steps = random(6); steps > 0; steps--) pages[random(3)]![random(2) === 0 ? 'arrive' : 'hear']()
  }
  while (!pages.every(page => page.isIdle())) {
    for (const page of pages) {
      page.send()
      page.arrive()
      page.hear()
    }
  }
  const view = editable.view()
  const cells = view.kind === 'grid' ? view.sheets[0]!.cells : {}
  return { pages: pages.map(({ shown }) => shown), last, valueOf: (cell: string) => cells[cell]?.value ?? '' }
}

t.test('pages that set cells concurrently converge: each cell has the value that arrived last, even with cut connections', async t => {
  for (let seed = 1; seed <= 300; seed++) {
    const { pages, last, valueOf } = edit(seed)
    for (const [cell, value] of last) {
      if (valueOf(cell) !== value) t.equal(valueOf(cell), value, `seed ${seed}: ${cell}`)
      for (const shown of pages) {
        if ((shown.get(`Sheet1!${cell}`) ?? '') !== value) {
          t.equal(shown.get(`Sheet1!${cell}`), value, `seed ${seed}: a page shows ${cell}`)
        }
      }
    }
  }
  t.ok(t.passing())
})

t.test('a pending cell stays displayed while others set it, and is sent again if it was lost', async t => {
  const content = openEditable('csv', Buffer.from('a,b\n')).view() as Content
  for (const arrived of [false, true]) {
    const replica = createGridReplica()
    const shown: string[] = []
    replica.resync(content, true)
    replica.attach({ put: (id: string, { value }: GridCell) => { shown.push(value) } } as unknown as Parameters<Replica['attach']>[0])
    replica.changed('Sheet1!A1', 'mine')
    const sent = replica.take()
    replica.apply({ op: 'cell', sheet: 'Sheet1', cell: 'A1', value: 'theirs', shown: { value: 'theirs', text: 'theirs' } }, false)
    t.strictSame(shown, ['mine'])
    replica.resync(content, arrived)
    t.strictSame(replica.take(), arrived ? [] : sent)
  }
})

t.test('a step is undone and redone as a whole, and dropped once somebody else has set one of its cells', async t => {
  const history = createGridHistory()
  history.record([{ id: 'a', before: '1', after: '2' }, { id: 'b', before: '', after: 'x' }])
  history.record([{ id: 'a', before: '2', after: '1,5' }])
  history.settled('a', '1.5')
  t.strictSame(history.take('undo'), [['a', '2']])
  t.strictSame(history.take('redo'), [['a', '1.5']], 'what the document server made of it')
  history.overtaken('a')
  t.strictSame(history.take('undo'), [['b', '']])
  t.notOk(history.has('undo'))
  history.check(id => id === 'b' ? 'other' : '')
  t.strictSame(history.take('redo'), [['b', 'x']])
  history.check(() => 'other')
  t.strictSame(history.take('undo'), [])
})
