import type { DoctorFinding } from '../../types/doctor.js'
import { isLogin, isRedirect, redirectTarget } from './answers.js'
import type { DirectResponse } from './direct-request.js'
import { error, ok, skipped, warning } from './findings.js'
import type { OwnRequests, Reception } from './own-requests.js'
import { firstWords, shown } from './plain-text.js'
import type { Sighting } from './probes.js'

interface Context {
  /** What this instance saw of the probe. */
  readonly sightings: readonly Sighting[]
  readonly instance: string
  /** Whether this process serves publicBaseUrl, alone or with others. */
  readonly isListening: boolean
  readonly hasState: boolean
}

/** What requests to this application at publicBaseUrl tell. */
export function assessPublicUrl (requests: OwnRequests, context: Context): DoctorFinding[] {
  const { url, download, callback, size, smallCallback = callback, inside } = requests
  const outside = [download, smallCallback].find(isAnswered)
  const hook = hookAnswer(download, smallCallback) ?? (inside && (outside || download.kind === 'failure') ? hookAnswer(ofApplication(inside.download), ofApplication(inside.callback)) : undefined)
  if (hook) return [assessHook(hook)]
  if (outside?.kind === 'unrecognized') return [unrecognized(outside.response)]
  if (outside?.kind === 'foreign') return [foreign(outside.response)]

  const isLargeOnly = callback.kind !== 'ours' && smallCallback.kind === 'ours'
  if (isLargeOnly) return [largeRefused(callback)]
  const failed = [download, smallCallback].find(({ kind }) => kind === 'failure')
  if (failed?.kind === 'failure') {
    const { code, meaning } = failed.failure
    return [skipped('CALLBACK', `This application gets no answer from ${shown(url)} itself: ${code}, ${meaning}. Whether the document server does is shown by its download.`)]
  }
  return [ok('CALLBACK', `${shown(url)} is our handler: it answered a GET, and a POST of ${size} bytes.`), ...instances()]

  function assessHook ({ response, requests }: HookAnswer): DoctorFinding {
    const { status, text } = response
    const evidence = `A hook of the application itself answers ${described(url, response)} to ${requests} of the document server at ${url.pathname}, before the handler sees it.`
    if (status === 429) return error('RATE_LIMIT_HOOK', evidence, 'All requests of the document server come from one IP address: give the plugin\'s routes a higher limit, or none, such as config: { rateLimit: false } for @fastify/rate-limit.')
    if (status === 503) return error('OVERLOAD_HOOK', evidence, 'The application reports that it is overloaded, such as by @fastify/under-pressure: find out why, or raise its limits. Documents do not open meanwhile; the document server repeats its callbacks for some minutes.')
    if (requests === 'a callback' && (status === 403 || /csrf/i.test(text))) return error('CSRF_HOOK', evidence, `Let the CSRF check ${PASS} a callback has no CSRF token, and no page of another site can sign its URL.`)
    return error('LOGIN_HOOK', evidence, `Let hooks that check a login ${PASS} it has no session, and the handler verifies its requests itself. docs/login-hooks.md has complete examples.`)
  }

  /** The handler was reached, but the signature was not as it was made. */
  function unrecognized (response: DirectResponse): DoctorFinding {
    const arrivedHere = context.sightings.some(({ isSigned }) => !isSigned)
    if (arrivedHere || response.text.startsWith('Unknown action')) {
      return error('PUBLIC_URL_QUERY', `Our handler answers ${described(url, response)} to a request with a signed query: the query did not arrive as it was sent.`,
        'Let the proxy in front of this application pass the path and the query unchanged (nginx: proxy_pass http://app; without a path and without rewrite … ? or set $args).')
    }
    return error('INSTANCE_DIFFERS', `At ${shown(url)} a handler answers ${described(url, response)}, but it is none with our secret and our URL.`,
      'Give all instances of the application the same jwtSecret, publicBaseUrl, path and prefix, and clocks that agree, and check that publicBaseUrl leads to this application.')
  }

  function foreign (response: DirectResponse): DoctorFinding {
    const target = isRedirect(response) ? redirectTarget(url, response) : undefined
    if (isLogin(url, response)) {
      return error('PUBLIC_URL_LOGIN', `${shown(url)} answers ${described(url, response)}.`,
        `Let the proxy in front of the application pass requests to ${url.pathname} without a login (such as oauth2-proxy --skip-auth-route): the handler verifies its requests itself.`)
    }
    if (target) {
      const keepsPost = response.status === 307 || response.status === 308
      const remedy = target.pathname === url.pathname && target.origin !== url.origin
        ? `Set publicBaseUrl to ${target.origin}, so that nothing is redirected.`
        : `Do not redirect ${url.pathname}.`
      return (keepsPost ? warning : error)('PUBLIC_URL_REDIRECT', `${shown(url)} answers ${described(url, response)}. ${keepsPost ? 'The document server follows it.' : 'The document server follows it with a GET: callbacks, and with them saves, are lost.'}`, remedy)
    }
    const gateway = response.status === 502 || response.status === 503 || response.status === 504
    return error('PUBLIC_URL_NOT_OURS', `${shown(url)} answers ${described(url, response)}.`, gateway
      ? 'A proxy answers, but does not reach this application: correct its upstream, such as proxy_pass http://127.0.0.1:3000.'
      : `Make publicBaseUrl the URL at which this application is served, with the path that a proxy removes, such as https://example.com/app; ${url.pathname} below it must reach the handler by GET and POST.`)
  }

  function largeRefused (reception: Reception): DoctorFinding {
    const seen = reception.kind === 'failure' ? `ends with ${reception.failure.code}` : 'response' in reception ? `is answered with ${described(url, reception.response)}` : 'is not answered'
    return error('CALLBACK_BODY_LIMIT', `A POST of ${size} bytes to ${shown(url)} ${seen}; a small one arrives. Callbacks with a long history are refused, and their saves with them.`,
      'Raise the limit of the proxy in front of this application to that of bodyLimit (nginx: client_max_body_size 4m; Apache: LimitRequestBody 4194304).')
  }

  function instances (): DoctorFinding[] {
    const other = callback.kind === 'ours' && callback.answer && callback.answer.instance !== context.instance
    if (!other || !context.isListening || context.hasState) return []
    return [warning('INSTANCES_WITHOUT_STATE', 'Another instance of the application answered, and the storage has no state: instances do not know of each other\'s sessions and saves.', 'Add `state` to the storage (see types/storage.ts, StateStore), or run one instance only.')]
  }
}

const PASS = 'pass requests whose request.routeOptions.config.editor?.caller is \'document-server\':'

/** Without a network in between, nothing else can have answered. */
function ofApplication (reception: Reception): Reception {
  return 'response' in reception ? { kind: 'hook', response: reception.response } : reception
}

interface HookAnswer {
  readonly response: DirectResponse
  /** In words: which requests are answered so. */
  readonly requests: 'a download' | 'a callback' | 'each request'
}

function hookAnswer (download: Reception, callback: Reception): HookAnswer | undefined {
  if (download.kind !== 'hook') return callback.kind === 'hook' ? { response: callback.response, requests: 'a callback' } : undefined
  return { response: download.response, requests: callback.kind === 'hook' ? 'each request' : 'a download' }
}

function isAnswered (reception: Reception): reception is Extract<Reception, { readonly response: DirectResponse }> {
  return reception.kind === 'foreign' || reception.kind === 'unrecognized'
}

function described (url: URL, response: DirectResponse): string {
  return `status ${response.status}${redirect(url, response)} and ${firstWords(response.text)}`
}

function redirect (url: URL, response: DirectResponse): string {
  if (response.header('location') === undefined) return ''
  const target = redirectTarget(url, response)
  return ` with a redirect to ${!target ? 'nowhere' : target.origin === url.origin ? target.pathname : shown(target)}`
}
