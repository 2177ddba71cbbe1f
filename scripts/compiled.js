import ts from 'typescript'

/**
 * The JavaScript of a TypeScript module, without comments; empty when it holds only types.
 * @param {string} source
 */
export function compiled (source) {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ESNext,
      verbatimModuleSyntax: true,
      removeComments: true
    }
  })
  return outputText.replace('export {};', '').trim()
}
