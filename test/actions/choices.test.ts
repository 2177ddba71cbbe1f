import t from 'tap'
import type { ActionOptions } from '../../lib/index.js'
import { type HostOptions, startPageHost } from '../kit/host.js'

const MINUTE = 60_000
const listings = {
  images: { c: 'add' },
  documents: { c: 'compare' },
  'spreadsheets with recipients': { c: 'mailmerge' },
  'spreadsheets with data': { c: 'reference' }
}

const table: Array<[options: HostOptions, minutes: number]> = [[{}, 10], [{ downloadUrlLifetime: 2 * MINUTE }, 2]]
for (const [options, minutes] of table) {
  t.test(`the URL of a file that a user may choose is valid for ${minutes} minutes: ${JSON.stringify(options)}`, async t => {
    let now = Date.UTC(2026, 0, 1)
    let other = ''
    const hook = () => [{ title: 'Other', fileId: other }]
    const actions = { images: hook, documents: hook, spreadsheets: hook } satisfies ActionOptions
    const host = await startPageHost(t, { actions, clock: { now: () => now }, ...options })
    other = (await host.storage.create('xlsx', Buffer.from('other'))).fileId
    const urls: string[] = []
    for (const [listing, body] of Object.entries(listings)) {
      const { choices: [{ data }] } = (await host.ask(listing.split(' ')[0]!, body)).body as {
        choices: [{ data: { url?: string, images?: [{ url: string }] } }]
      }
      urls.push(data.url ?? data.images![0].url)
    }
    const { documentUrl } = await host.app.editorControl().openDocument(other)
    const statuses = async () => await Promise.all(urls.map(async url => (await fetch(url)).status))
    t.strictSame(await statuses(), [200, 200, 200, 200])
    now += minutes * MINUTE
    t.strictSame(await statuses(), [200, 200, 200, 200])
    now += 1
    t.strictSame(await statuses(), new Array(4).fill(403))
    t.equal((await fetch(documentUrl)).status, minutes === 2 ? 403 : 200, 'a document that is open keeps its URL')
  })
}
