import t from 'tap'
import { isBelow, isResultPath } from '../../lib/outbound/result-urls.js'

/** As the handler gets it: dot segments are resolved, backslashes are slashes. */
function pathOf (path: string): string {
  return new URL(`https://docs.example.com${path}`).pathname
}

/** Ways out of a folder that the URL standard leaves as they are. */
const WAYS_OUT = [
  '..%2f..%2finfo', '..%2F..%2Finfo', '..%5c..%5cinfo', '..%5C..%5Cinfo', '%2e%2e%2finfo', '%2e%2e%5cinfo',
  'x%2f..%2f..%2finfo', '%2finfo', 'x%5cy', 'x%2fy', '..;/info', '..;/..;/info', '..;a=b/info', '..%3b/info',
  '..%3B%2finfo', '.;/info', 'x/..;', '%252e%252e/info', '%252e%252e%252finfo', '..%252f..%252finfo',
  '..%255c..%255cinfo', '..%25252finfo', '..%2525252finfo', '..%253b/info', '%25%32%65%25%32%65/info',
  '..%25%32%66info', '..%25%2532finfo', '..%252525252525252finfo', '..%c0%afinfo', '%c0%ae%c0%ae/info',
  '..%c1%9cinfo', '..%e0%80%afinfo', '..%u002finfo', '%u002e%u002e/info', '..%u2215info', '..%/info', '..%2', '%ff',
  '．．/info', '..／info', '．．／info', '..＼info', '․․/info', '‥/info', '..%ef%bc%8finfo',
  '%25ef%25bc%258e./x/..%252finfo', '..%00/info', '..%2500/info', 'x%00', 'x%0d%0aHost:%20inside',
  'x%250d%250aHost:%2520inside', '%7f', '..%20/info', '..%20./info', '...%20', '..%09/info', '.../info', '.%252e/info'
]

t.test('result file paths of every document server are recognized: after a version, below any path, with any title', async t => {
  for (const path of [
    '/cache/files/data/key_1/output.docx/output.docx',
    '/9.3.0-abc/cache/files/data/key_1/output.docx/a.docx',
    '/9.3.0-138d8dfe3c2c4a0ba7ad1e4dbf2a9dd3/cache/files/x',
    '/editors/cache/files/x',
    '/a/b.c/d~e/f-g_h/9.3.0-1/cache/files/x',
    '/only%5foffice/cache/files/x',
    '/only%5Foffice/cache/files/x',
    '/cache/files/x',
    '/cache/files/cache/files/x',
    '/cache/cache/files/x',
    '//cache/files/x',
    '/docs//cache/files/x',
    '/storage-cache/files/data/key_1/output.docx/a.docx',
    '/docs//storage-cache/files/x',
    '/cache/my/own/files/data/key_1/output.docx/a.docx',
    '/cache/files/data/tenant-1/key=.-_1/output.docx/a.docx',
    '/cache/files/forgotten/tenant-1/key_1/output.docx/output.docx',
    '/cache/folder/App_Data/conv_key_1/output.pdf/a.pdf',
    '/cache/files/.hidden',
    '/cache/files/..hidden',
    '/cache/files/x..',
    '/cache/files/...pdf',
    ...[
      'My title.pdf', 'отчёт 😀.pdf', '100%.pdf', '100%25.pdf', 'a+b & c=d?e#f;g,h:i@j!k*(l)\'m".pdf', 'Ｑ１／Ｑ２.pdf',
      'etc....pdf', '... and more.pdf', '½.pdf', '%zz.pdf', '25%e9.pdf'
    ].map(title => `/cache/files/data/key_1/output.pdf/${encodeURIComponent(title)}`),
    // a slash in a title, as the document server writes it
    `/cache/files/data/key_1/output.pdf/${encodeURIComponent('Q1%2fQ2 of 2026.pdf')}`
  ]) t.equal(isResultPath(pathOf(path)), true, path)
})

t.test('no other document server path is a result file path, whatever it contains', async t => {
  for (const path of [
    '/', '/info/info.json', '/internal/cluster/inactive', '/internal/connections/edit',
    '/web-apps/apps/api/documents/api.js', '/healthcheck', '/coauthoring/CommandService.ashx', '/doc/key/c/info',
    '/example/', '/cache/files', '/cache/files/', '/cache/files//', '/cache/files//x', '/cache/files?/x',
    '/cache/files/?x', '/cache/files#/x', '/9.3.0-abc/cache/files/', '/cache', '/cache/', '/files/x', '/cache/file/x',
    '/cache/files.json/x', '/cache/filesx', '/xcache/files/x', '/cache-files/x', '/Cache/files/x', '/cache/Files/x',
    '/CACHE/FILES/x', '///cache/files/x', '/x///cache/files/x', '//x/cache/files/x', '/cache//files/x',
    '/storage-cache//files/x', '/storage-cache/', '/storage-cachefiles/x', '/storage/cache-files/x',
    '/xstorage-cache/files/x', '/cache/folder/x', '/cache/folder/data/x/y', '/cache/folder/data//output.docx/a.docx',
    '/cache/folder/../data/key_1/output.docx', '/cache/./files', '/cache/files/..', '/cache/files/../info',
    '/cache/files/%2e%2e/info', '/cache/files/.%2E/info', '/cache/files/x/../../../info', '/info?/cache/files/x',
    '/info#/cache/files/x', '/info;/cache/files/x', '/info;x=/cache/files/x', '/info%3f/cache/files/x',
    '/info%23/cache/files/x', '/info%3b/cache/files/x', '/info%20/cache/files/x', '/info%00/cache/files/x',
    '/info%/cache/files/x', '/x%2fcache/files/y', '/x%2Fcache%2Ffiles%2Fy', '/cache%2ffiles/y', '/cache/files%2fy',
    '/cache%5cfiles/y', '/%63ache/files/y', '/c%61che/files/y', '/cache/f%69les/y', '/x%252fcache/files/y',
    '/info%5f%2f/cache/files/y', '/.../cache/files/y', '/..;/cache/files/y',
    ...WAYS_OUT.map(way => `/cache/files/${way}`),
    ...WAYS_OUT.map(way => `/cache/files/data/key_1/${way}`),
    ...WAYS_OUT.map(way => `/storage-cache/files/${way}`),
    ...WAYS_OUT.map(way => `/cache/folder/data/key_1/output.docx/${way}`),
    ...WAYS_OUT.map(way => `/${way}/cache/files/x`)
  ]) t.equal(isResultPath(pathOf(path)), false, path)
})

t.test('a path is below another if it starts with it and a slash and every URL parser agrees', async t => {
  const table: Array<[path: string, inside: string[], outside: string[]]> = [
    ['/thumbs', [
      '/thumbs', '/thumbs/', '/thumbs/a.png', '/thumbs/a/b', '/thumbs/a/../b', '/thumbs//a', '/thumbs/%C3%BC.png',
      '/thumbs/a;b'
    ], [
      '/', '/thumb', '/thumbsup', '/thumbs.json', '/thumbs;/x', '/Thumbs/a', '/x/thumbs/a', '//thumbs/a',
      '/thumbs/../x', '/thumbs/%2e%2e/x', '/thumbs%2fa', '/%74humbs/a', '/thumbs%00/a'
    ]],
    ['/thumbs/', ['/thumbs/', '/thumbs/a.png'], ['/thumbs', '/thumbsup']],
    ['/thumbs/one.png', ['/thumbs/one.png', '/thumbs/one.png/x'], ['/thumbs/one.pngx', '/thumbs/two.png', '/thumbs']],
    ['/', ['/', '/a', '/a/b'], []]
  ]
  for (const [path, inside, outside] of table) {
    for (const one of inside) t.equal(isBelow(pathOf(one), path), true, `${one} below ${path}`)
    for (const one of outside) t.equal(isBelow(pathOf(one), path), false, `${one} not below ${path}`)
    for (const way of WAYS_OUT) t.equal(isBelow(pathOf(`${path.replace(/\/$/, '')}/${way}`), path), false, `${way} not below ${path}`)
  }
})

t.test('a path with more than three levels of percent-encoding is refused', async t => {
  const encodedTimes = (times: number) => `/cache/files/%${'25'.repeat(times - 1)}41.pdf`
  for (const times of [1, 2, 3]) t.equal(isResultPath(encodedTimes(times)), true, `${times} times`)
  for (const times of [4, 5, 5000]) t.equal(isResultPath(encodedTimes(times)), false, `${times} times`)
})
