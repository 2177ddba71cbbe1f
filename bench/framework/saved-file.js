// URLs of saved files as the document server makes them: the plugin fetches no others. Where a cluster names its node,
// ours say what is wanted.

/**
 * @param {string} documentServer its origin
 * @param {string} key of the document
 * @param {{ size: number, number?: number }} wanted `size` in bytes; `number` of the save
 */
export function savedUrl (documentServer, key, { size, number = 1 }) {
  const query = `md5=m-d-5&expires=1&shardkey=${number}.${size}&filename=output.txt`
  return `${documentServer}/cache/files/data/${key}_${number % 10_000}/output.txt/output.txt?${query}`
}

/**
 * Number and size of a file that is asked for; of one that is no save the path ends with its size and number.
 * @param {string} url
 */
export function wantedFile (url) {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/.exec(url) ?? []
  const wanted = /&shardkey=(\d+)\.(\d+)&/.exec(query)?.slice(1) ?? path.split('/').reverse()
  const [number = NaN, size = NaN] = wanted.map(Number)
  return { number, size }
}
