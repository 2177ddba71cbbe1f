import type { RequestListener } from 'node:http'
import type { Test } from 'tap'
import { NEW, OLD } from '../../kit/editing.js'
import { answerWith } from '../../kit/http.js'
import type { AlwaysStopped, TargetOptions } from './attack.js'
import { startTarget } from './target.js'

const ERROR_PAGE = '<!doctype html><html><body><h1>Bad Gateway</h1></body></html>'
const HTML = { 'content-type': 'text/html' }

const breakOff: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': NEW.length })
  response.write(NEW.slice(0, 20), () => response.destroy())
}

/** Whether one of these answers of the document server is stored in place of a document. */
async function isDamaged (t: Test, options: TargetOptions, answers: readonly RequestListener[]): Promise<boolean> {
  let serve = answers[0]!
  const target = await startTarget(t, { ...options, serve: (request, response) => serve(request, response) })
  for (const answer of answers) {
    serve = answer
    await target.saveFrom(target.url)
  }
  return await target.storedText(target.fileId) !== OLD
}

function damaging (title: string, because: string, answers: readonly RequestListener[]): AlwaysStopped {
  return {
    title,
    has: 'a way to disturb the document server, or a server in front of it, during a save',
    because,
    run: (t, options) => isDamaged(t, options, answers),
    control: (t, options) => isDamaged(t, options, [answerWith(NEW)])
  }
}

export const damage: readonly AlwaysStopped[] = [
  damaging(
    'has an error page stored in place of a document',
    'only a 2xx answer that looks like its format is stored',
    [
      answerWith(ERROR_PAGE, 404, HTML),
      answerWith(ERROR_PAGE, 502, HTML),
      answerWith(ERROR_PAGE, 200, HTML),
      answerWith(ERROR_PAGE, 203),
      answerWith('{"error":-3}', 200),
      answerWith('', 200),
      answerWith('', 204)
    ]
  ),
  damaging('has a part of a document stored in its place', 'a save is stored completely or not at all', [
    breakOff,
    answerWith(NEW.slice(0, 20)),
    answerWith(NEW, 206, { 'content-range': `bytes 0-${NEW.length - 1}/1000` })
  ])
]
