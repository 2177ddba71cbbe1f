/** Source: docs/document-server-protocol.md#conversion */
export const ConversionCode = {
  unknown: -1,
  timeout: -2,
  conversion: -3,
  download: -4,
  password: -5,
  input: -7,
  token: -8,
  ambiguous: -9,
  tooLarge: -10
} as const
