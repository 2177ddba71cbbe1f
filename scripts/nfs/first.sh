#!/busybox sh
# The first process of the emulated machine: its files are those of the host, and what is written goes to memory.
b=/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for module in /modules/*; do $b insmod "$module"; done
options=trans=virtio,version=9p2000.L,msize=262144
$b mount -t 9p -o "ro,cache=loose,$options" host /host
$b mount -t tmpfs -o size=80% changes /changes
$b mkdir /changes/upper /changes/work
$b mount -t overlay -o lowerdir=/host,upperdir=/changes/upper,workdir=/changes/work overlay /root
for folder in proc sys dev; do $b mount --move /$folder /root/$folder; done
$b mkdir -p /root/share
$b mount -t 9p -o "$options" share /root/share
exec $b switch_root /root /bin/bash /share/inside.sh
