/**
 * Whether this version of the library knows the format of a value in the `state` of a storage. The plugin checks the
 * rest of its records; a storage must only know what it may remove.
 */
export function isOfKnownFormat (value: unknown): boolean {
  const { format = 1 } = Object(value) as { readonly format?: unknown }
  return format === 1
}
