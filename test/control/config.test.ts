import t from 'tap'
import type { EditorControlDefaults } from '../../lib/index.js'
import { extensions } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'

t.test('properties that the application sets by hand replace those of the stored document in the configuration', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  Object.assign(control, {
    documentName: 'Elsewhere.pptx',
    documentKey: 'key-of-the-host',
    documentUrl: 'https://files.example/7',
    callbackUrl: 'https://files.example/7/cb'
  })
  const { document, documentType, editorConfig } = control.config!
  t.strictSame(document, { fileType: 'pptx', key: 'key-of-the-host', title: 'Elsewhere.pptx', url: 'https://files.example/7' })
  t.equal(documentType, 'slide')
  t.equal(editorConfig.callbackUrl, 'https://files.example/7/cb')

  control.callbackUrl = ''
  t.notOk('callbackUrl' in JSON.parse(control.configJson).editorConfig, 'none, when there is none')
})

t.test('documentType and fileType are set for every extension the editor supports', async t => {
  const host = await startHost(t)
  for (const [extension, documentType] of extensions) {
    for (const spelling of [extension, extension.toUpperCase()]) {
      const control = host.app.editorControl()
      await control.uploadDocument(Buffer.from('x'), `Name.${spelling}`)
      t.equal(control.config!.documentType, documentType, spelling)
      t.equal(control.config!.document.fileType, extension, spelling)
    }
  }
})

t.test('a form of an earlier document server gets no documentType: api.js knows its editor', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('x'), 'form.docxf')
  const config = JSON.parse(control.configJson)
  t.notOk('documentType' in config)
  t.equal(config.document.fileType, 'docxf')
})

const user = { id: '7', name: 'Ada', group: 'editors', image: 'https://app.example.com/7.png' }
const permissions = {
  edit: true,
  comment: false,
  download: false,
  commentGroups: { edit: ['a'], remove: [''] },
  userInfoGroups: ['a']
}
/** By default in the secure profile. */
const OFF = { macros: false, plugins: false }
const customization = {
  autosave: false,
  forcesave: true,
  logo: { image: 'https://app.example.com/logo.png' },
  goback: { url: 'https://app.example.com/' }
} as const

t.test('an empty user.id never reaches a configuration: the document server would never save the edits', async t => {
  const { app } = await startHost(t)
  for (const id of ['', 7, null]) {
    const user = { id, name: 'Ada' } as { id: string, name: string }
    t.throws(() => app.editorControl({ user }), { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option user\.id must be a string of 1 to 240 characters/ })
    t.throws(() => app.editorControl({ editorConfig: { user } }), { message: /^Option editorConfig\.user\.id must be a string/ })
  }
  t.ok(app.editorControl({ user: { name: 'Ada' } as never }), 'a user without an id')
})

t.test('user, permissions, mode, lang, customization and further options are accepted at the top level and passed on', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl({
    type: 'mobile',
    width: '80vw',
    height: '600px',
    user,
    permissions,
    customization,
    lang: 'pt-PT',
    region: 'de-AT',
    mode: 'view',
    location: 'us',
    coEditing: { mode: 'strict', change: false },
    recent: [{ title: 'Old.docx', url: 'https://app.example.com/old', folder: 'x' }],
    plugins: { autostart: ['asc.{1}'] },
    info: { owner: 'Ada', favorite: true },
    referenceData: { fileKey: 'f', instanceId: 'i' }
  })
  await control.uploadDocument(Buffer.from('x'), 'a.docx')
  const { type, width, height, document, editorConfig } = JSON.parse(control.configJson)
  t.strictSame({ type, width, height }, { type: 'mobile', width: '80vw', height: '600px' })
  t.strictSame(document.permissions, permissions)
  t.strictSame(document.info, { owner: 'Ada', favorite: true })
  t.strictSame(document.referenceData, { fileKey: 'f', instanceId: 'i' })
  t.strictSame(editorConfig, {
    mode: 'view',
    user,
    customization: { ...OFF, ...customization },
    lang: 'pt-PT',
    region: 'de-AT',
    location: 'us',
    coEditing: { mode: 'strict', change: false },
    recent: [{ title: 'Old.docx', url: 'https://app.example.com/old', folder: 'x' }],
    plugins: { autostart: ['asc.{1}'] },
    callbackUrl: control.callbackUrl
  })
})

t.test('the same options are accepted nested as in the editor\'s configuration', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl({ document: { permissions, info: { owner: 'Ada' } }, editorConfig: { user, mode: 'view', lang: 'de' } })
  await control.uploadDocument(Buffer.from('x'), 'a.docx')
  const { document, editorConfig } = JSON.parse(control.configJson)
  t.strictSame(document.permissions, permissions)
  t.strictSame(document.info, { owner: 'Ada' })
  t.match(editorConfig, { user, mode: 'view', lang: 'de' })
  t.equal(document.title, 'a.docx')
})

t.test('defaults are never modified, and what only newer editors know passes inside of their objects', async t => {
  const host = await startHost(t)
  const newer = { futureSetting: { on: true } }
  const given = {
    user: { ...user, ...newer },
    customization: newer,
    document: { ...newer, permissions: { ...permissions, ...newer } },
    editorConfig: { ...newer, lang: 'de' }
  }
  const control = host.app.editorControl(deepFrozen(given) as unknown as EditorControlDefaults)
  await control.uploadDocument(Buffer.from('x'), 'a.docx')
  const { document, editorConfig } = control.config!
  t.match(document, given.document)
  t.match(editorConfig, { user: given.user, customization: newer, ...given.editorConfig })
})

t.test('defaults cannot contain what the document determines, at the top level or nested', async t => {
  const host = await startHost(t)
  const sneaky = { key: 'k', url: 'https://evil.example', title: 'x', fileType: 'exe' }
  const cases = [
    ...Object.entries({ ...sneaky, callbackUrl: 'https://evil.example', token: 'x', documentType: 'cell', events: {} })
      .map(([name, value]) => [name, { [name]: value }] as const),
    ...Object.entries(sneaky).map(([name, value]) => [`document.${name}`, { document: { [name]: value } }] as const),
    ['editorConfig.callbackUrl', { editorConfig: { callbackUrl: 'https://evil.example' } }] as const
  ]
  for (const [name, defaults] of cases) {
    t.throws(() => host.app.editorControl(defaults as EditorControlDefaults), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: `Option ${name} must be absent`
    }, name)
  }
})

function deepFrozen<Value extends object> (value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner)
  return Object.freeze(value)
}

t.test('the option defaults is for every control; what a control is given takes precedence, wherever it is given', async t => {
  const { app } = await startHost(t, {
    defaults: {
      lang: 'de',
      mode: 'view',
      permissions: { download: false, print: false },
      customization: { forcesave: true, logo: { image: 'https://app.example.com/logo.png' } },
      recent: [{ title: 'of all' }] as never,
      editorConfig: { region: 'de-CH', embedded: { toolbarDocked: 'top' } },
      document: { info: { folder: 'of all' } },
      height: '50vh'
    }
  })
  const configOf = async (defaults?: EditorControlDefaults) => {
    const control = app.editorControl(defaults)
    await control.uploadDocument(Buffer.from('x'), 'a.docx')
    const { document: { permissions, info }, editorConfig: { callbackUrl, ...editorConfig }, height } = JSON.parse(control.configJson)
    return { permissions, info, ...editorConfig, height }
  }
  const ofAll = {
    lang: 'de',
    mode: 'view',
    permissions: { download: false, print: false },
    customization: { ...OFF, forcesave: true, logo: { image: 'https://app.example.com/logo.png' } },
    recent: [{ title: 'of all' }],
    region: 'de-CH',
    embedded: { toolbarDocked: 'top' },
    info: { folder: 'of all' },
    height: '50vh'
  }
  t.strictSame(await configOf(), ofAll)
  t.strictSame(await configOf({ lang: undefined, editorConfig: { mode: undefined } } as never), ofAll)
  t.strictSame(
    await configOf({
      editorConfig: { lang: 'fr', mode: 'edit', customization: { logo: { url: 'https://app.example.com' } } },
      region: 'fr-CH',
      document: { permissions: { print: true } },
      info: { owner: 'Ada' },
      recent: [],
      height: '100%'
    }),
    {
      ...ofAll,
      lang: 'fr',
      mode: 'edit',
      permissions: { download: false, print: true },
      customization: { ...OFF, forcesave: true, logo: { image: 'https://app.example.com/logo.png', url: 'https://app.example.com' } },
      recent: [],
      region: 'fr-CH',
      info: { folder: 'of all', owner: 'Ada' },
      height: '100%'
    }
  )
  t.strictSame(await configOf(), ofAll, 'the option is never modified')
})
