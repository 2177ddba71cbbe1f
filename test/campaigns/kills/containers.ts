import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { CONTAINER, type Namespaces } from '../../storage/namespaces.js'

const run = promisify(execFile)

/** A container of this host name. */
export function named (hostname: string): Namespaces {
  return { flags: [...CONTAINER.flags, '--uts'], prepare: `hostname ${hostname}` }
}

/** Runs the command after it there. */
export function launcherIn ({ flags, prepare = 'true' }: Namespaces): string[] {
  return ['unshare', ...flags, 'sh', '-c', `${prepare} && exec "$@"`, 'sh']
}

/** Until the test ends no other container gets the number that this one's namespace of processes has. */
export async function keepNumber (t: Test, launcher: number): Promise<void> {
  const handle = await open(`/proc/${launcher}/ns/pid_for_children`)
  t.teardown(async () => await handle.close())
}

export interface AgeingDisk {
  readonly directory: string
  /** As if nothing had been written to these files for so many seconds. Nobody may be using the disk. */
  age (names: readonly string[], seconds: number): Promise<void>
}

/**
 * Does something on such a disk. When a file was changed only the kernel says, by its own clock: it is written into the
 * disk while that is not mounted. Where that can't be had the test is skipped with the reason.
 */
export async function onAgeingDisk (t: Test, task: (disk: AgeingDisk) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'fastify-onlyoffice-'))
  const [image, directory] = [join(root, 'disk'), join(root, 'mounted')]
  const mount = async () => { await run('mount', ['-o', 'loop', image, directory]) }
  async function age (names: readonly string[], seconds: number): Promise<void> {
    const then = Math.floor(Date.now() / 1000) - seconds
    await run('umount', [directory])
    for (const name of names) await run('debugfs', ['-w', '-R', `set_inode_field "/${name}" ctime @${then}`, image])
    await mount()
  }
  try {
    await mkdir(directory)
    const fault = await makeDisk(image).then(mount).then(() => undefined, error => error as Error)
    if (fault) {
      t.pass('a disk whose files grow old', { skip: `needs root, a loop device, mkfs.ext4 and debugfs: ${fault.message.trim()}` })
      return
    }
    await rmdir(join(directory, 'lost+found'))
    await task({ directory, age })
  } finally {
    await run('umount', ['-l', directory]).catch(() => {})
    await rm(root, { recursive: true })
  }
}

async function makeDisk (image: string): Promise<void> {
  await run('truncate', ['-s', '32M', image])
  await run('mkfs.ext4', ['-q', image])
  await run('debugfs', ['-V'])
}
