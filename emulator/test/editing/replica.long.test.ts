import t from 'tap'
import { type Page, randomNumbers, startSimulation } from './simulation.js'

const ROUNDS = 60
const FIRST_WORD = 0x4E00

/** Pages edit at random while messages are late, batches overlap and connections are cut; then everything arrives. */
async function edit (fileType: 'docx' | 'txt', seed: number, withParagraphs: boolean): Promise<{ typed: string, texts: string[], shown: string[][] }> {
  const random = randomNumbers(seed)
  const { pages, texts } = await startSimulation(fileType, 'one two three\nfour five six\nseven', 3)
  let typed = ''

  function act (page: Page): void {
    const index = random(page.shown.length)
    const { text } = page.shown[index]!
    const ends = [...text.matchAll(/(?<=\S)(?=\s|$)/g)].map(({ index }) => index)
    const kind = random(10)
    if (kind < 6) {
      const word = String.fromCodePoint(FIRST_WORD + typed.length)
      typed += word
      page.type(index, ends[random(ends.length)] ?? 0, ` ${word}`)
    } else if (kind === 6 && withParagraphs) page.split(index, random(text.length + 1))
    else if (kind === 7 && withParagraphs && index > 0) page.join(index)
    else if (kind === 8 && random(4) === 0) page.cut()
    page.send()
  }

  for (let round = 0; round < ROUNDS; round++) {
    act(pages[random(pages.length)]!)
    for (let steps = random(6); steps > 0; steps--) pages[random(pages.length)]!.step(random(2) === 0 ? 'up' : 'down')
  }
  while (pages.some(page => !page.isIdle())) {
    for (const page of pages) {
      page.send()
      page.step('up')
      page.step('down')
    }
  }
  return { typed, texts: texts(), shown: pages.map(({ shown }) => shown.map(({ text }) => text)) }
}

for (const fileType of ['docx', 'txt'] as const) {
  t.test(`pages that type into one ${fileType} concurrently converge, with every word exactly once, even with cut connections`, async t => {
    for (let seed = 1; seed <= 150; seed++) {
      const { typed, texts, shown } = await edit(fileType, seed, false)
      for (const one of shown) if (one.join('\n') !== texts.join('\n')) t.strictSame(one, texts, `seed ${seed}: a page shows what the server has`)
      for (const word of typed) {
        const times = texts.join('\n').split(word).length - 1
        if (times !== 1) t.equal(times, 1, `seed ${seed}: ${word}`)
      }
    }
    t.ok(t.passing())
  })
}

t.test('pages that also split and join paragraphs converge and lose nothing', async t => {
  for (let seed = 1; seed <= 200; seed++) {
    const { typed, texts, shown } = await edit('docx', seed, true)
    for (const one of shown) if (one.join('\n') !== texts.join('\n')) t.strictSame(one, texts, `seed ${seed}: a page shows what the server has`)
    const lost = [...typed].filter(word => !texts.join('\n').includes(word))
    if (lost.length > 0) t.strictSame(lost, [], `seed ${seed}: nothing is lost`)
  }
  t.ok(t.passing())
})
