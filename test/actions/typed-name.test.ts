import t from 'tap'
import { type NameProblem, typedName } from '../../lib/index.js'

t.test('typedName() says why a name is refused', async t => {
  const refused: Record<NameProblem, readonly unknown[]> = {
    empty: ['', '  ', '.docx', '\u200b', undefined, null, 7, ['a']],
    'too-long': ['x'.repeat(251), 'ü'.repeat(126)],
    character: ['a/b', 'a:b', '<b>', 'a\u0000', 'gpj.\u202efdp', 'a\u061cb', '\ud800'],
    dot: ['.hidden', 'a.', '..'],
    reserved: ['con', 'NUL', 'lpt1.tar']
  }
  for (const [problem, names] of Object.entries(refused)) {
    for (const name of names) t.strictSame(typedName(name, 'docx'), { problem }, JSON.stringify(name))
  }
})

t.test('typedName() gives other names back, trimmed and composed, with and without the extension', async t => {
  t.strictSame(typedName(' U\u0308bersicht.DOCX ', 'docx'), { name: 'Übersicht', title: 'Übersicht.docx' })
  t.strictSame(typedName('Minutes.php', 'docx'), { name: 'Minutes.php', title: 'Minutes.php.docx' })
})
