/** What runs the command after it as if in a container with this host name. */
export function launcherIn (hostname: string): string[] {
  return ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child', '--uts', 'sh', '-c', `hostname ${hostname} && exec "$@"`, 'sh']
}
