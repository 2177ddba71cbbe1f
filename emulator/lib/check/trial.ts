import { randomUUID } from 'node:crypto'
import type { DocumentServer, EditorConfig } from '../../types/document-server.js'
import type { FaultOptions, Faults } from '../../types/faults.js'
import type { CallbackResult, ForceSaveOptions, Session } from '../../types/session.js'
import type { Fields } from '../editing.js'
import type { Tokens } from '../protocol/tokens/tokens.js'
import type { GivenConfig, Host, HostAnswer, PostResult } from './host.js'
import type { Recorder } from './recorder.js'
import { Failure, Skip } from './types.js'

const END_OF_ZIP = Buffer.from([0x50, 0x4B, 0x05, 0x06])
const COMMENT_LENGTH_AT = 20

/** The tokens of a callback; `null` for none. */
export interface CallbackTokens {
  readonly body?: string | null
  readonly header?: string | null
}

type Answered = Omit<CallbackResult, 'status'> & { readonly status?: number | null }

export interface Environment {
  readonly host: Host
  readonly server: DocumentServer
  readonly recorder: Recorder
  readonly tokens: Tokens
  /** Another secret. */
  readonly strangers: Tokens
  readonly tokenHeader: string
  /** Lets the faults that delay an answer take their time. */
  readonly slowly: <Result>(task: () => Promise<Result>) => Promise<Result>
}

/** One document of the host during one scenario. Methods reject with a `Failure` if the host behaves differently. */
export type Trial = Awaited<ReturnType<typeof startTrial>>

/** @param n the number of the document, and of another one: equal if the host gives only one. */
export async function startTrial (environment: Environment, n: number, other: number) {
  const { host, server, recorder, tokens, tokenHeader } = environment
  const given: GivenConfig = await host.config(n)
  const before = await host.content(n)
  const document = given.signed.document ?? {}
  const key = String(document.key)
  const url = String(document.url)
  const callbackUrl = String(given.signed.editorConfig?.callbackUrl)
  const userId = String(given.signed.editorConfig?.user?.id ?? 'check')
  const fileType = String(document.fileType ?? '').toLowerCase()
  const contents = new Map<string, Buffer>([['the content from before', before]])
  const sessions = new Set<Session>()
  const faults: Array<() => void> = []

  function content (label: string): Buffer {
    const bytes = contents.get(label) ??
      contentWith(before, fileType, `onlyoffice-emulator check ${randomUUID()}: ${label}`)
    contents.set(label, bytes)
    return bytes
  }

  async function open (config: EditorConfig = given.config): Promise<Session> {
    try {
      const session = await server.open(config)
      sessions.add(session)
      return session
    } catch (error) {
      const { message, code } = error as Error & { code?: number }
      throw new Failure('a configuration that opens in the editor', `error ${code}: ${message.split('?', 1)[0]}`)
    }
  }

  async function edited (label: string, session?: Session): Promise<Session> {
    const editor = session ?? await open((await host.config(n)).config)
    if (editor.viewOnly) {
      const seen = 'a view-only document: its key was saved already, or the configuration says so'
      throw new Failure('a key that can be edited', seen)
    }
    await editor.edit(content(label))
    contents.set(label, await editor.content())
    return editor
  }

  function fault<Route extends keyof Faults> (
    route: Route,
    fault: Faults[Route],
    options: FaultOptions = { times: Infinity }
  ): void {
    faults.push(server.fault(route, fault, options))
  }

  const headersFor = (token: string | null): Record<string, string> =>
    token === null ? {} : { [tokenHeader]: `Bearer ${token}` }

  /** Posts a callback to the host, by default with both tokens, which sign its fields. */
  async function post (
    fields: Fields,
    { body = tokens.sign(fields), header = tokens.sign({ payload: fields }) }: CallbackTokens = {}
  ): Promise<PostResult> {
    return await host.post(callbackUrl, JSON.stringify({ ...fields, ...(body !== null && { token: body }) }), {
      Accept: 'application/json, text/plain, */*',
      'Content-Type': 'application/json',
      'User-Agent': 'Node.js/6.13',
      ...headersFor(header)
    })
  }

  /** The fields of a genuine callback, which the host has not seen yet, for a document with this content. */
  async function made (label: string, changes: Fields & { readonly status?: number } = {}): Promise<Fields> {
    const { status = 2 } = changes
    const name = randomUUID()
    recorder.files.set(`/${name}`, before)
    // The URLs of saved files contain the key.
    const config = {
      document: {
        key: String(changes.key ?? key),
        title: `check.${fileType}`,
        fileType,
        url: `${recorder.url}/${name}`
      },
      editorConfig: { callbackUrl: `${recorder.url}/${name}`, mode: 'edit', user: { id: userId, name: 'Check' } }
    }
    const session = await server.open({ ...config, token: tokens.sign(config) })
    await session.edit(content(label))
    contents.set(label, await session.content())
    if (status === 6) await session.forceSave()
    await session.close()
    const { token, ...fields } = recorder.callbacks(`/${name}`).find(callback => callback.status === status)!
    await forget(config.document.key)
    return { ...fields, ...changes }
  }

  /** Deletes the forgotten file of a key: it is opened from `document.url` again. */
  async function forget (key: string): Promise<void> {
    const payload = { token: tokens.sign({ c: 'deleteForgotten', key, operation: 'command' }) }
    await server.inject({ method: 'POST', url: '/command', payload })
  }

  async function expectStored (label: string): Promise<void> {
    const now = await host.content(n)
    if (content(label).equals(now)) return
    const seen = [...contents].find(([, bytes]) => bytes.equals(now))?.[0]
    throw new Failure(`stored: ${label}`, `stored: ${seen ?? `other content of ${now.length} bytes`}`)
  }

  async function keyNow (): Promise<string> {
    return String((await host.config(n)).signed.document?.key)
  }

  return {
    ...environment,
    given,
    before,
    key,
    url,
    callbackUrl,
    userId,
    fileType,
    /** Whether the format is a zip file, as those of office documents. */
    isPackage: before.subarray(0, 2).toString() === 'PK',
    content,
    open,
    edited,
    made,
    fault,
    post,
    keyNow,
    stored: async () => await host.content(n),
    now: async () => await host.config(n),
    /** The fields of a callback of somebody who joined (1) or left (4). */
    presence: (status: 1 | 4): Fields => ({
      key,
      status,
      ...(status === 1 && { users: [userId] }),
      actions: [{ type: status === 1 ? 1 : 0, userid: userId }]
    }),
    /** The configuration of another document. */
    async other (): Promise<GivenConfig> {
      if (n === other) throw new Skip('the URLs name one document only: put {n} into both')
      return await host.config(other)
    },
    async download (claims: Fields | null, signer: Tokens = tokens): Promise<HostAnswer> {
      return await host.get(url, headersFor(claims === null ? null : signer.sign(claims)))
    },
    async forceSaved (session: Session, options: ForceSaveOptions): Promise<void> {
      expectAccepted(await session.forceSave(options))
    },
    async expectNewKey (): Promise<void> {
      if (await keyNow() === key) throw new Failure('a new document.key', 'the same key')
    },
    async expectKey (expected = key): Promise<void> {
      const now = await keyNow()
      if (now !== expected) throw new Failure(`the same document.key, ${expected}`, `another key, ${now}`)
    },
    expectAccepted,
    expectRefused (answer: Answered): void {
      expect(!answer.accepted, 'an answer that refuses the callback', answer)
    },
    expect,
    expectStored,
    /** Closes what the scenario has left open. */
    async end (): Promise<void> {
      for (const remove of faults) remove()
      for (const session of sessions) await session.close().catch(() => {})
      await forget(key)
    }
  }
}

function expectAccepted (answer: Answered): void {
  expect(answer.accepted, 'HTTP 200 with {"error":0}', answer)
}

/** @param seen words, or the answer to a callback */
function expect (condition: boolean, expected: string, seen: string | Answered): void {
  if (!condition) throw new Failure(expected, typeof seen === 'string' ? seen : inWords(seen))
}

function inWords ({ status, httpStatus, answer }: Answered): string {
  if (status === null) return 'no callback, because the document server had none to send'
  if (httpStatus === null) return 'no answer'
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return `HTTP ${httpStatus}${text === '' ? ' without a body' : ` ${text.slice(0, 200)}`}`
}

/** Other bytes of the format that contain a mark: as the comment of a zip file, the end of a PDF, or the whole text. */
function contentWith (base: Buffer, fileType: string, mark: string): Buffer {
  const end = base.lastIndexOf(END_OF_ZIP)
  if (base.subarray(0, 2).toString() === 'PK' && end >= 0) {
    const comment = Buffer.from(mark)
    const record = Buffer.from(base.subarray(0, end + COMMENT_LENGTH_AT + 2))
    record.writeUInt16LE(comment.length, end + COMMENT_LENGTH_AT)
    return Buffer.concat([record, comment])
  }
  if (base.subarray(0, 5).toString() === '%PDF-') return Buffer.concat([base, Buffer.from(`\n% ${mark}\n`)])
  return Buffer.from(`${fileType === 'csv' ? '\uFEFF' : ''}${mark}\n`)
}
