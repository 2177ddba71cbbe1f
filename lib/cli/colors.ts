/**
 * Whether to print colors: not by option, not if NO_COLOR is set, always with FORCE_COLOR, and otherwise if the output is a
 * terminal that has them.
 */
export function hasColors (stream: NodeJS.WriteStream, { noColor, environment }: { readonly noColor: boolean, readonly environment: NodeJS.ProcessEnv }): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no } = environment
  if (noColor) return false
  if (force !== undefined) return force !== '0' && force !== 'false'
  return !no && stream.isTTY && stream.hasColors()
}
