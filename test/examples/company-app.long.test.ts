import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { parse as parseYaml } from 'yaml'
import { readPage } from '../docs/markdown.js'
import { caretTo, choose, editorFrame, menuItem, startBrowser } from '../kit/browser.js'
import { freePort } from '../kit/http.js'
import { startNpmRegistry } from '../kit/npm-registry.js'
import { plainEnvironment, root, temporaryDirectory } from '../kit/programs.js'

// The tutorial, word for word: what its blocks of commands say is run by a shell in an empty directory, one after the
// other, and what its steps say is done in browsers. The repository and the packages come from this machine.

const FOLDER = 'examples/company-app'
const PASSWORD = 'correct horse battery'
const browser = await startBrowser(t)
const commands = readPage(`${FOLDER}/README.md`).blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)

t.test('example company-app: its tutorial leads from an empty directory to two users who edit a document with history', {
  skip: browser.missing || (!existsSync(join(root, '.git')) && 'This machine has no repository')
}, async t => {
  const started = performance.now()
  const [get = '', setup = '', start = '', testIt = '', containers] = commands
  t.equal(containers, 'docker compose up --build\n')
  const shell = await startShell(t)
  t.match(get, /^npm ci$/m)
  const install = ['', 'emulator/'].map(folder => `ln -s ${root}${folder}node_modules ./${folder}`).join('\n')
  const directory = (await shell(`${get.replace(/^npm ci$/m, install)}pwd`)).trimEnd().split('\n').at(-1)!
  const [, password = ''] = /password (\S+)/.exec(await shell(setup, directory))!
  const { url, stop } = await shell.start(start, directory)

  const admin = await logIn(t, url, 'admin', password)
  await admin.getByRole('link', { name: 'Administration' }).click()
  for (const login of ['ada', 'grace']) {
    await admin.getByLabel('Login').fill(login)
    await admin.getByLabel('Name').fill(login)
    await admin.getByLabel('Password').fill(PASSWORD)
    await admin.getByRole('button', { name: 'Add user' }).click()
    await admin.getByRole('listitem').filter({ hasText: login }).waitFor()
  }

  const ada = await logIn(t, url, 'ada', PASSWORD)
  await ada.getByRole('button', { name: 'New document' }).click()
  await ada.getByRole('dialog').getByLabel('Name').fill('Plan')
  await ada.getByLabel('Kind').selectOption('docx')
  await ada.getByRole('button', { name: 'Create' }).click()
  await type(ada, 'by Ada')
  await ada.getByRole('link', { name: 'Settings' }).click()
  await ada.getByLabel('What grace may do').selectOption('edit')
  await ada.getByRole('listitem').filter({ hasText: 'grace' }).getByRole('button', { name: 'Share' }).click()
  await ada.getByRole('link', { name: 'Open' }).click()

  const grace = await logIn(t, url, 'grace', PASSWORD)
  await grace.getByRole('link', { name: 'Plan.docx', exact: true }).click()
  await (await editorFrame(grace)).getByText('by Ada').waitFor()
  await type(grace, ' and Grace')
  await (await editorFrame(ada)).getByText('by Ada and Grace').waitFor()
  t.comment(`two users edit ${Math.round((performance.now() - started) / 1000)} s after the first command`)

  await admin.reload()
  await admin.getByText('Plan.docx').waitFor()
  for (const page of [grace, ada]) await page.getByRole('link', { name: 'Documents' }).click()
  await ada.getByRole('link', { name: 'Plan.docx', exact: true }).click()
  const editor = ada.frameLocator('[data-onlyoffice-editor] iframe')
  const button = (name: string) => editor.getByRole('button', { name, exact: true })
  await editorFrame(ada)
  await choose(editor, 'Version history')
  await button('Version 1').click()
  await button('Restore').click()
  await menuItem(editor, 'Version history').waitFor({ state: 'attached' })
  t.equal((await (await editorFrame(ada)).locator('[data-paragraph]').first().innerText()).trim(), '')

  await ada.getByRole('link', { name: 'Settings' }).click()
  const settings = ada.url()
  const confirmation = ada.getByRole('dialog', { name: 'Delete “Plan.docx”?' })
  await ada.getByRole('button', { name: 'Delete Plan.docx' }).click()
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await ada.reload()
  await ada.getByRole('button', { name: 'Delete Plan.docx' }).click()
  await confirmation.getByRole('button', { name: 'Delete' }).click()
  await ada.getByText('There are no documents here yet.').waitFor()
  await ada.goto(settings)
  await ada.getByRole('heading', { name: 'Not found' }).waitFor()
  await ada.getByRole('link', { name: 'Back to the documents' }).click()
  await ada.getByRole('heading', { name: 'Documents' }).waitFor()
  t.equal((await stop())?.trim(), '')

  t.match(await shell(testIt, directory), /pass 12/)
})

t.test('example company-app: its containers have the settings that the application reads', async t => {
  const { services: { app } } = parseYaml(readFileSync(join(root, FOLDER, 'docker-compose.yml'), 'utf8'))
  const server = readFileSync(join(root, FOLDER, 'server.js'), 'utf8')
  for (const name of Object.keys(app.environment)) t.ok(server.includes(name), name)
  const example = readFileSync(join(root, FOLDER, '.env.example'), 'utf8')
  for (const [, name] of JSON.stringify(app.environment).matchAll(/\$\{(\w+)/g)) t.match(example, new RegExp(`^${name}=$`, 'm'))
})

async function logIn (t: Test, url: string, login: string, password: string): Promise<Page> {
  const { page } = await browser.newPage(t)
  await page.goto(url)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('link', { name: 'Account' }).or(page.getByRole('button', { name: 'Log out' })).first().waitFor()
  return page
}

async function type (page: Page, text: string): Promise<void> {
  const editor = await editorFrame(page)
  await caretTo('End', editor.locator('[data-paragraph]').first())
  await page.keyboard.type(text)
  await editor.waitForSelector('[data-state="received"]')
}

/** Runs commands in an empty directory, with this repository and this machine's packages in place of the network. */
async function startShell (t: Test) {
  const directory = await temporaryDirectory(t)
  const env = {
    ...plainEnvironment,
    npm_config_registry: await startNpmRegistry(t),
    npm_config_cache: join(directory, 'npm-cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${root}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/fastify-onlyoffice/fastify-onlyoffice.git',
    PORT: String(await freePort())
  }

  function spawnShell (command: string, cwd = directory) {
    const child = spawn('bash', ['-ec', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', chunk => { output += chunk })
    const closed = once(child, 'close') as Promise<[number | null]>
    let isOpen = true
    closed.then(() => { isOpen = false })
    /** With all that it has started. */
    async function stop (): Promise<void> {
      if (isOpen) process.kill(-child.pid!, 'SIGINT')
      await closed
    }
    t.teardown(stop)
    return { child, closed, stop, output: () => output }
  }

  async function shell (command: string, cwd?: string): Promise<string> {
    const { closed, output } = spawnShell(command, cwd)
    const [code] = await closed
    if (code !== 0) throw new Error(`${command} has ended with ${code}: ${output()}`)
    return output()
  }

  return Object.assign(shell, {
    /** Of a command that goes on: resolves when it has printed its URL. */
    async start (command: string, cwd: string) {
      const { child, closed, stop, output } = spawnShell(command, cwd)
      while (!/http:\S+/.test(output())) {
        const event = await Promise.race([once(child.stdout, 'data'), closed.then(() => 'ended')])
        if (event === 'ended') throw new Error(`${command} has ended: ${output()}`)
      }
      return {
        url: /http:\S+/.exec(output())![0],
        /** Resolves to what it has printed since. */
        async stop () {
          await stop()
          return output().split(/http:\S+/).at(-1)
        }
      }
    }
  })
}
