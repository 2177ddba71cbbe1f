import t from 'tap'
import type { CallbackEvent, FastifyOnlyofficeOptions } from '../../lib/index.js'
import { type Editing, NEW, startEditing } from '../kit/editing.js'

// Compiled by `npm run typecheck`: the wrong uses below must stay errors, the right ones must stay without one.

t.test('the status of a callback determines its fields, for the compiler as well', async t => {
  function described (event: CallbackEvent): string {
    const common: [string, string | undefined, string | undefined] = [event.fileId, event.key, event.userdata]
    switch (event.status) {
      case 1: {
        const users: readonly string[] | undefined = event.users
        const type: 0 | 1 | 2 | undefined = event.actions?.[0]?.type
        // @ts-expect-error a session that goes on has nothing to fetch: it is no text
        const url: string | undefined = event.url
        return [...common, users, type, url].join()
      }
      case 2: {
        const url: string | undefined = event.url
        const notmodified: boolean | undefined = event.notmodified
        const author: string | undefined = event.history?.changes?.[0]?.user?.name
        // @ts-expect-error nobody forced it
        const type: number | undefined = event.forcesavetype
        return [...common, url, notmodified, author, event.lastsave?.slice(0, 4), event.filetype?.toUpperCase(), event.changesurl?.length, type].join()
      }
      case 3: return [...common, event.url?.length, event.notmodified === true, event.lastsave?.length].join()
      case 4: {
        // @ts-expect-error they have left
        const users: readonly string[] | undefined = event.users
        return [...common, event.actions?.map(({ userid }) => userid), users].join()
      }
      case 5: return [...common, event.mailMerge?.recordIndex, event.url?.length].join()
      case 6: {
        const type: number | undefined = event.forcesavetype
        // @ts-expect-error only a finished save says that
        const notmodified: boolean | undefined = event.notmodified
        return [...common, type, event.formsdataurl?.length, event.url?.length, notmodified].join()
      }
      case 7: {
        const type: number | undefined = event.forcesavetype
        // @ts-expect-error nothing was assembled
        const url: string | undefined = event.url
        return [...common, type, event.lastsave?.length, url].join()
      }
      default: {
        const none: never = event
        return String(none)
      }
    }
  }
  const onCallback: FastifyOnlyofficeOptions['onCallback'] = event => {
    // @ts-expect-error without its status nobody knows what else it has
    const url: string | undefined = event.url
    // @ts-expect-error it was sent: nobody changes it
    event.status = 2
    t.comment(url)
  }
  t.type(onCallback, 'function')
  t.equal(described({ status: 6, fileId: 'f', key: 'k', forcesavetype: 1 }), 'f,k,,1,,,')
})

const users = ['u1']
const actions = [{ type: 0, userid: 'u1' }]
const lastsave = '2026-11-20T15:12:59.000Z'
const history = {
  serverVersion: '9.3.0',
  changes: [{ documentSha256: 'c55a3a18', created: '2026-11-20 15:12:59', user: { id: 'u1', name: 'John' } }]
}

/** Every field that the document server's protocol knows of a status. */
function fieldsOf ({ url, key }: Editing): Record<number, object> {
  const assembled = { url, changesurl: url.replaceAll('output.docx', 'changes.zip'), history, filetype: 'docx' }
  return {
    1: { key, users: ['u1', 'u2'], actions: [{ type: 1, userid: 'u2' }], userdata: 'mine' },
    2: { key, ...assembled, users, actions, lastsave, notmodified: true, encrypted: false },
    3: { key, ...assembled, users, actions, lastsave, notmodified: false },
    4: { key, actions, userdata: 'mine' },
    5: {
      key,
      ...assembled,
      users,
      mailMerge: {
        recordCount: 2,
        recordIndex: 1,
        recordErrorCount: 0,
        to: 'a@example.com',
        subject: 'Hello',
        type: 0,
        userid: 'u1'
      }
    },
    6: {
      key,
      ...assembled,
      users,
      actions: [{ type: 2, userid: 'u1' }],
      userdata: 'mine',
      lastsave,
      forcesavetype: 3,
      encrypted: false,
      formsdataurl: url.replaceAll('output.docx', 'formsdata.json')
    },
    7: { key, users, userdata: 'mine', lastsave, forcesavetype: 0 }
  }
}

t.test('onCallback: every field of every status is passed on unchanged and frozen', async t => {
  const told: CallbackEvent[] = []
  const editing = await startEditing(t, { onCallback: event => { told.push(event) } })
  const { fileId, post, storedText } = editing
  const fields = fieldsOf(editing)
  for (const [status, sent] of Object.entries(fields)) {
    // An assembly that failed, and a form for which there is no hook.
    const refused = status === '3' || status === '6'
    t.equal(await post({ status: Number(status), ...sent }), refused ? 1 : 0)
  }
  t.strictSame(told, Object.entries(fields).map(([status, sent]) => ({ status: Number(status), ...sent, fileId })))
  t.ok(told.every(event => Object.isFrozen(event)))
  t.equal(await storedText(fileId), NEW)
})
