import neostandard from 'neostandard'

export default [
  { ignores: ['**/dist/', '.tap/', '**/App_Data/'] },
  ...neostandard({ ts: true, env: ['node', 'browser'] }),
  {
    rules: {
      '@typescript-eslint/no-redeclare': 'off' // `const X` and `type X` of one schema share their name
    }
  }
]
