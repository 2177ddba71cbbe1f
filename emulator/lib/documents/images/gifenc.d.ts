declare module 'gifenc' {
  type Palette = ReadonlyArray<readonly number[]>

  interface Encoder {
    writeFrame (indexes: Uint8Array, width: number, height: number, options: { readonly palette: Palette }): void
    finish (): void
    bytes (): Uint8Array
  }

  const gifenc: {
    GIFEncoder (): Encoder
    quantize (pixels: Uint8Array, colors: number): Palette
    applyPalette (pixels: Uint8Array, palette: Palette): Uint8Array
  }
  export default gifenc
}
