// The document server merges as the page does; this tells the compiler what it imports.
export function merge (base: string, theirs: string, mine: string, isAgain?: boolean): string
export interface Change { from: number, to: number, text: string }
export function rebased (theirs: Change[], mine: Change[], isAgain?: boolean): Change[]
export function applied (text: string, made: Change[]): string
export function changes (base: string, text: string): Change[]
export function movedOffset (offset: number, base: string, text: string): number
export function fineChanges (base: string, text: string): Change[]
