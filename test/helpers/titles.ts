import ts from 'typescript'

/** Titles of the tests in a TypeScript source, as they are written: with `${…}` where a template has a value. */
export function titlesIn (source: string): string[] {
  const titles: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'test') {
      const [title] = node.arguments
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText().slice(1, -1))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true))
  return titles
}
