import ts from 'typescript'

/** Titles of the tests in a TypeScript source, as they are written: with `${…}` where a template has a value. */
export function titlesIn (source: string): string[] {
  return nodesOf(source).flatMap(node => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'test') return []
    const [title] = node.arguments
    return title && isText(title) ? [textOf(title)] : []
  })
}

/** Every text in a TypeScript source: titles, and what titles are made of. */
export function textsIn (source: string): string[] {
  return nodesOf(source).filter(isText).map(textOf)
}

function nodesOf (source: string): ts.Node[] {
  const nodes: ts.Node[] = []
  const visit = (node: ts.Node) => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true))
  return nodes
}

function isText (node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

function textOf (node: ts.Node): string {
  return node.getText().slice(1, -1)
}
