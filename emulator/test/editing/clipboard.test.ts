import { Fragment, type Node, Slice } from 'prosemirror-model'
import type { EditorView } from 'prosemirror-view'
import t from 'tap'
import { clipboard } from '../../lib/page/browser/text/clipboard.js'
import { schema } from '../../lib/text/schema.js'

const view = {} as EditorView

const json = (nodes: readonly Node[]) => JSON.parse(JSON.stringify(nodes)) as object[]

/** The clipboard of a page that shows a document. */
function clipboardOf (epoch: string) {
  const props = clipboard({ kind: 'prose', epoch, version: 0, doc: {}, plain: false, levels: [1], lists: [] })
  return {
    copied: (...content: Node[]) => props.transformCopied!.call({} as never, new Slice(Fragment.from(content), 0, 0), view),
    pasted: (slice: Slice, isText = false) => json(props.transformPasted!.call({} as never, slice, view, isText).content.content)
  }
}

t.test('parts of the file are pasted as such in the same document only: in another one, the names are those of other parts', async t => {
  const look = schema.mark('look', { ref: 'look1', css: 'color: #ff0000' })
  const link = schema.mark('link', { href: 'https://example.org/', ref: 'look2' })
  const content = [
    schema.node('paragraph', { ref: 'p1', level: 1 }, [
      schema.text('a', [look, schema.mark('bold')]),
      schema.text('b', [link]),
      schema.node('image', { ref: 'image1' }),
      schema.node('kept', { ref: 'field1', text: '7' }),
      schema.node('kept', { ref: 'kept1' })
    ]),
    schema.node('table', { ref: 't1' }, [schema.node('table_row', { ref: 'row1' }, [schema.node('table_cell', { ref: 'cell1', colspan: 2 }, [schema.node('paragraph')])])]),
    schema.node('kept_block', { ref: 's1', text: 'Contents' })
  ]
  const slice = clipboardOf('one').copied(...content)
  t.strictSame(clipboardOf('one').pasted(slice), json(content))
  const plain = { ref: null, level: null, list: null, depth: 0, align: null }
  t.strictSame(clipboardOf('two').pasted(slice), [
    {
      type: 'paragraph',
      attrs: { ...plain, level: 1 },
      content: [
        { type: 'text', marks: [{ type: 'bold' }], text: 'a' },
        { type: 'text', marks: [{ type: 'link', attrs: { href: 'https://example.org/', ref: null } }], text: 'b' },
        { type: 'text', text: '7' }
      ]
    },
    ...json([schema.node('table', null, [schema.node('table_row', null, [schema.node('table_cell', { colspan: 2 }, [schema.node('paragraph')])])])]),
    { type: 'paragraph', attrs: plain, content: [{ type: 'text', text: 'Contents' }] }
  ])
  t.strictSame(clipboardOf('two').pasted(new Slice(Fragment.from(content), 0, 0), true), json(content), 'plain text looks like the place where it is pasted')
})
