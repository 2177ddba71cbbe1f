import { InvalidOptionError } from '../errors.js'

/** Permissions of what is made anew. The process's umask takes its part. */
export interface Modes {
  readonly file: number
  readonly directory: number
}

const DEFAULT_FILE_MODE = 0o640

/** Throws an `InvalidOptionError` for a mode without which no document could be replaced. */
export function modesFor (fileMode: number = DEFAULT_FILE_MODE): Modes {
  if (!Number.isInteger(fileMode) || fileMode < 0 || fileMode > 0o777 || (fileMode & 0o600) !== 0o600) {
    throw new InvalidOptionError('fileMode', 'needs to be permissions from 0o600 to 0o777 with which the owner may read and write, such as 0o640')
  }
  // Whoever may read what is in a directory must be let in; a group, which another instance may be in, also write there.
  return { file: fileMode, directory: 0o700 | fileMode | (fileMode & 0o444) >> 2 | (fileMode & 0o040) >> 1 }
}
