import t from 'tap'
import { append, paragraph, startBrowser, startPages } from '../kit/browser.js'
import { deferred } from '../kit/time.js'

const browser = await startBrowser(t)

for (
  const [noticed, title] of [[true, 'and the document server knows'], [
    false,
    'and the document server has not noticed'
  ]] as const
) {
  t.test(
    `when the connection drops after an edit arrived but before its answer did, ${title}, the edit is not applied twice`,
    { skip: browser.missing },
    async t => {
      const service = await startPages(t, browser)
      const fileId = await service.store('report.docx')
      const arrival = deferred<() => Promise<unknown>>()
      let sockets = 0
      const ada = await service.open(fileId, {
        onSocket (socket) {
          const server = socket.connectToServer()
          if (++sockets > 1) return
          let hasEdited = false
          socket.onClose(() => {}) // does not close the other end
          socket.onMessage(message => {
            hasEdited ||= message.includes('"type":"edit"')
            server.send(message)
          })
          server.onMessage(message => {
            if (!hasEdited) socket.send(message)
            else if (message.includes('"type":"received"')) {
              arrival.resolve(async () =>
                await (noticed ? Promise.all([server.close(), socket.close()]) : socket.close())
              )
            }
          })
        }
      })
      const grace = await service.open(fileId, { user: 'Grace Hopper' })

      await append(ada, 'Currency is EUR.', ' First.')
      const cut = await arrival.promise
      await ada.page.keyboard.type(' Second.')
      await cut()
      for (const opened of [ada, grace]) await paragraph(opened, 'Second.').waitFor()
      for (const { editor } of [ada, grace]) t.equal(await editor.getByText('Currency').textContent(), 'Currency is EUR. First. Second.')
      t.equal(sockets, 2)
    })
}
