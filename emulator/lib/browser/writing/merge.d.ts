// The document server merges as the page does; this tells the compiler what it imports.
export function merge (base: string, theirs: string, mine: string): string
export function changes (base: string, text: string): Array<{ from: number, to: number, text: string }>
export function movedOffset (offset: number, base: string, text: string): number
export function fineChanges (base: string, text: string): Array<{ from: number, to: number, text: string }>
