#!/usr/bin/env bash
# Runs test/storage/nfs.long.test.ts in an emulated machine with a Debian kernel, which is an NFS server and two clients of it.
#   scripts/nfs/run.sh [mount options, such as vers=4.2 or vers=3,noac]...
# As root on Debian; needs: apt-get install qemu-system-x86 busybox-static cpio kmod nfs-kernel-server nfs-common iproute2
# The machine reads the files of this one and writes none of them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
work=$project/.tap/nfs
share=$work/share
mkdir -p "$share"
[[ $# -gt 0 ]] || set -- vers=4.2

package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: //p')
version=${package#linux-image-}
kernel=$work/$version
if [[ ! -d $kernel ]]; then
  (cd "$work" && apt-get download "$package")
  dpkg-deb -x "$work/$package"_*.deb "$kernel.new"
  depmod -b "$kernel.new" "$version"
  mv "$kernel.new" "$kernel"
fi

initial=$(mktemp -d)
trap 'rm -rf "$initial"' EXIT
mkdir "$initial"/{dev,proc,sys,modules,host,changes,root}
cp "$(command -v busybox)" "$initial"
cp "$here/first.sh" "$initial/init" # the name that switch_root wants
number=100
for module in virtio_pci 9pnet_virtio 9p overlay virtio_blk; do
  modprobe -d "$kernel" -S "$version" --show-depends "$module" 2>/dev/null
done | sed -n 's/^insmod \(\S*\).*/\1/p' | awk '!seen[$0]++' | while read -r file; do
  cp "$file" "$initial/modules/$((number++))"
done
(cd "$initial" && find . | cpio --quiet --create --format newc | gzip -1) > "$work/initial"

rm -f "$share/code"
truncate --size 1G "$share/disk"
mkfs.ext4 -q -F "$share/disk"
cp "$here/inside.sh" "$share"
printf '%s\n' "$project" "$kernel" "$(command -v node)" "$*" > "$share/settings"
# Not KVM: not every machine that has it can run any kernel.
timeout "${LIMIT:-3600}" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 3G -nodefaults -no-reboot \
  -nographic -serial stdio -monitor none -device virtio-rng-pci \
  -kernel "$kernel/boot/vmlinuz-$version" -initrd "$work/initial" -append 'console=ttyS0 quiet panic=-1' \
  -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=host,mount_tag=host \
  -fsdev local,id=share,path="$share",security_model=none -device virtio-9p-pci,fsdev=share,mount_tag=share \
  -drive file="$share/disk",if=virtio,format=raw,cache=unsafe < /dev/null
exit "$(cat "$share/code" || echo 1)"
