import neostandard from './scripts/tools/neostandard.js'

// Which part of the code may import which: .dependency-cruiser.js
export default [
  { ignores: ['**/dist/', 'reference/', '.tap/', '**/App_Data/', '**/*.compiled.ts', 'lib/assets/'] },
  ...neostandard({ ts: true, env: ['node', 'browser'] }),
  {
    rules: {
      '@typescript-eslint/no-redeclare': 'off', // `const X` and `type X` of one schema share their name
      'n/prefer-node-protocol': 'error',
      '@stylistic/max-len': ['error', {
        code: 120,
        ignorePattern: '@(typedef|type) ', // the types of one in a comment cannot be wrapped
        ignoreStrings: true,
        ignoreTemplateLiterals: true,
        ignoreRegExpLiterals: true,
        ignoreUrls: true
      }]
    }
  },
  { files: ['**/test/**'], rules: { '@stylistic/max-len': 'off' } },
  {
    files: ['{lib,emulator/lib}/**'],
    rules: {
      'no-restricted-syntax': ['error', {
        selector: 'ImportExpression[source.type!="Literal"]',
        message: 'The import rules cannot check a computed import.'
      }]
    }
  },
  {
    files: ['{lib,emulator/lib}/**/index.ts'],
    rules: {
      'no-restricted-syntax': ['error', {
        selector: 'Program > :not(ExportNamedDeclaration[source], ExportAllDeclaration)',
        message: 'An index.ts only exports from other modules.'
      }]
    }
  },
  {
    files: ['{types,emulator/types}/**'],
    ignores: ['types/messages.ts'], // whose texts are their own documentation
    rules: {
      'no-restricted-syntax': ['error', {
        selector: 'Program > :not([importKind="type"], [exportKind="type"], TSInterfaceDeclaration, TSTypeAliasDeclaration, TSModuleDeclaration)',
        message: 'types/ has no code that runs: write types, `import type` and `export type`.'
      }]
    }
  }
]
