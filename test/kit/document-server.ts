// The document server: `startDocumentServer` is the emulator, `startConversionService` a server that only converts.
// Also what belongs to both sides: the secret, tokens, also forged ones, and the extensions the editor knows.
import { createHmac } from 'node:crypto'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type { CellFileType, DiagramFileType, DocumentType, PdfFileType, SlideFileType, WordFileType } from '@onlyoffice/doceditor-types'
import type { DocumentServer, DocumentServerOptions } from 'onlyoffice-emulator'
import type { Test } from 'tap'
import { listen, pathOfSaved, type Upstream } from './http.js'

/**
 * With `DOCUMENT_SERVER=10.0`, the document server of tests names the purpose of its tokens and demands that of ours.
 */
const isNew = process.env.DOCUMENT_SERVER === '10.0'

export const SECRET = 'a-secret-of-this-test-suite-0123456789'

/** Options of an emulated document server, unless the test needs a certain version. */
export function emulatedOptions (options: Partial<DocumentServerOptions> = {}): Partial<DocumentServerOptions> {
  return isNew && options.version === undefined ? { version: '10.0', purposeCheck: 'strict', ...options } : options
}

/** An emulated document server with the secret of the tests, until the test ends. */
export async function startDocumentServer (t: Test, options: Partial<DocumentServerOptions> = {}): Promise<DocumentServer> {
  const { createDocumentServer } = await import('onlyoffice-emulator') // most tests need none of it
  const server = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, ...emulatedOptions(options) })
  t.teardown(() => server.close())
  return server
}

/** The claim of a token that a test signs itself. */
export function claimOf (operation: string): { readonly operation?: string } {
  return isNew ? { operation } : {}
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token with any header, made by hand: what a library would refuse to make included. */
export function forgedToken (claims: object, { alg = 'HS256', secret = '', typ = 'JWT' }): string {
  const content = `${base64url({ alg, typ })}.${base64url(claims)}`
  if (alg === 'none') return `${content}.`
  return `${content}.${createHmac(`sha${alg.slice(2)}`, secret).update(content).digest('base64url')}`
}

export const PDF = Buffer.from('%PDF-1.7\nthe converted document\n%%EOF\n')

export interface ConversionRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

export interface ConversionService extends Pick<Upstream, 'origin' | 'port'> {
  /** The conversion requests it got. */
  readonly conversions: ConversionRequest[]
  /** Paths of every other request: those for the result. */
  readonly downloads: string[]
}

export type ConversionAnswer = (response: http.ServerResponse, attempt: number, origin: string) => unknown

/** Answers `{ endConvert: true }` at once; the result is `PDF`. */
export const ready: ConversionAnswer = (response, _attempt, origin) => {
  response.end(JSON.stringify({ fileUrl: `${origin}/result.pdf`, fileType: 'pdf', percent: 100, endConvert: true }))
}

export const pending: ConversionAnswer = response => response.end('{"percent":0,"endConvert":false}')

/** A document server that knows one thing: conversion. `result` answers for the converted file. */
export async function startConversionService (
  t: Test,
  answer: ConversionAnswer,
  result: http.RequestListener = (_request, response) => {
    response.end(PDF)
  }
): Promise<ConversionService> {
  const conversions: ConversionRequest[] = []
  const downloads: string[] = []
  const server = http.createServer(async (request, response) => {
    request.url = pathOfSaved(request.url!)
    if (request.url.split('?')[0] !== '/ConvertService.ashx') {
      downloads.push(request.url!)
      return result(request, response)
    }
    const { method, url, headers } = request
    conversions.push({ method, url, headers, body: JSON.parse(await text(request)) })
    answer(response, conversions.length, listener.origin)
  })
  const listener = await listen(t, server)
  return { ...listener, conversions, downloads }
}

/** The claims of a token, its signature checked with node:crypto. Throws when it is wrong. */
export function claimsOf (token: unknown, secret = SECRET): Record<string, unknown> {
  const [header, payload, signature] = String(token).split('.')
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')
  if (signature !== expected) throw new Error('the signature is wrong')
  return JSON.parse(Buffer.from(payload!, 'base64url').toString())
}

/** The fields of a command in a request to a document server that the test plays itself. */
export async function commandIn (request: http.IncomingMessage): Promise<Record<string, unknown>> {
  return claimsOf((JSON.parse(await text(request)) as { readonly token: string }).token)
}

// Records, so that the compiler misses no extension of the editor's own list.
const word: Record<WordFileType, true> = {
  doc: true,
  docm: true,
  docx: true,
  dot: true,
  dotm: true,
  dotx: true,
  epub: true,
  fb2: true,
  fodt: true,
  hml: true,
  htm: true,
  html: true,
  hwp: true,
  hwpx: true,
  md: true,
  mht: true,
  mhtml: true,
  odt: true,
  ott: true,
  pages: true,
  rtf: true,
  stw: true,
  sxw: true,
  txt: true,
  wps: true,
  wpt: true,
  xml: true
}
const cell: Record<Exclude<CellFileType, 'xml'> | 'scsv' | 'tsv', true> = {
  csv: true,
  et: true,
  ett: true,
  fods: true,
  numbers: true,
  ods: true,
  ots: true,
  scsv: true,
  sxc: true,
  tsv: true,
  xls: true,
  xlsb: true,
  xlsm: true,
  xlsx: true,
  xlt: true,
  xltm: true,
  xltx: true
}
const slide: Record<SlideFileType, true> = {
  dps: true,
  dpt: true,
  fodp: true,
  key: true,
  odg: true,
  odp: true,
  otp: true,
  pot: true,
  potm: true,
  potx: true,
  pps: true,
  ppsm: true,
  ppsx: true,
  ppt: true,
  pptm: true,
  pptx: true,
  sxi: true
}
const pdf: Record<PdfFileType, true> = { djvu: true, oxps: true, pdf: true, xps: true }
const diagram: Record<DiagramFileType, true> = { vsdm: true, vsdx: true, vssm: true, vssx: true, vstm: true, vstx: true }

/** Every extension the editor knows, with the editor that opens it. */
export const extensions: ReadonlyArray<readonly [fileType: string, documentType: DocumentType]> =
  Object.entries({ word, cell, slide, pdf, diagram }).flatMap(([documentType, list]) =>
    Object.keys(list).map(extension => [extension, documentType as DocumentType] as const))
