import { missingPrograms } from '../../scripts/ceph.js'
import { nginxProgram } from './nginx.js'

/** Ends this process with a word about what to install, if Ceph or nginx is not. */
export function requirePackages () {
  const packages = [
    ...(nginxProgram() ? [] : ['nginx-light']),
    ...(missingPrograms().length === 0 ? [] : ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'])
  ]
  if (packages.length === 0) return
  console.error(`Not installed. On Debian or Ubuntu: apt-get install --no-install-recommends ${packages.join(' ')}`)
  process.exit(1)
}
