/** The text without code, in which nothing is a link or a heading. */
function withoutCode (markdown: string): string {
  return markdown.replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '').replaceAll(/(`+)[^`][\s\S]*?\1/g, '')
}

/** The targets of links and pictures, of Markdown and of HTML. */
export function linksOf (markdown: string): string[] {
  const text = withoutCode(markdown)
  const inline = [...text.matchAll(/\]\(\s*<?([^\s)>]+)/g)]
  const definitions = [...text.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm)]
  const attributes = [...text.matchAll(/\s(?:href|src|srcset)\s*=\s*["']([^"'\s]+)/g)]
  return [...inline, ...definitions, ...attributes].map(match => match[1]!)
}

/** The fragments that lead to headings, as GitHub and npm make them. */
export function anchorsOf (markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of markdown.replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading!.replaceAll(/\]\([^)]*\)/g, '').toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  for (const [, id] of markdown.matchAll(/<a (?:id|name)=["']([^"']+)/g)) anchors.add(id!)
  return anchors
}
