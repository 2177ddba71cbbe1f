import { createHmac } from 'node:crypto'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { SECRET } from '../kit/host.js'
import { listen, type Upstream } from '../kit/http.js'

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
    if (request.url!.split('?')[0] !== '/ConvertService.ashx') {
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
