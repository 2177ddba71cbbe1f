// The document server has the same documents as the page; this tells the compiler what it imports.
import type { Schema } from 'prosemirror-model'

type Block = 'doc' | 'slide' | 'paragraph' | 'table' | 'table_row' | 'table_cell' | 'section' | 'kept_block'
type Inline = 'text' | 'hard_break' | 'image' | 'kept'
type Mark = 'link' | 'look' | 'bold' | 'italic' | 'underline' | 'strike'

export const schema: Schema<Block | Inline, Mark>
