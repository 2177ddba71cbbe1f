# In the emulated machine: an NFS server, two clients with network namespaces of their own, and the test.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb
{ read -r project; read -r kernel; read -r node; read -r options; } < /share/settings
mkdir -p /lib/modules/"$(uname -r)" /dev/shm /srv/export /mnt/a /mnt/b
mount --bind "$kernel/lib/modules/$(uname -r)" /lib/modules/"$(uname -r)"
mount -t tmpfs run /run
mount -t tmpfs shm /dev/shm
ln -s /proc/self/fd /dev/fd
ip link set lo up
mount /dev/vda /srv/export
mkdir -m 777 /srv/export/documents

ip link add bridge type bridge
ip addr add 10.9.0.1/24 dev bridge
ip link set bridge up
for client in a:2 b:3; do
  name=${client%:*}
  ip netns add "$name"
  ip link add "to-$name" type veth peer name eth0 netns "$name"
  ip link set "to-$name" master bridge up
  ip -n "$name" addr add "10.9.0.${client#*:}/24" dev eth0
  ip -n "$name" link set eth0 up
  ip -n "$name" link set lo up
done

modprobe nfsd
modprobe nfs
mkdir -p /run/rpcbind
mount -t nfsd nfsd /proc/fs/nfsd 2>/dev/null
rpcbind -w
echo '/srv/export/documents *(rw,sync,no_subtree_check,no_root_squash,fsid=0)' > /etc/exports
echo 10 > /proc/fs/nfsd/nfsv4leasetime # after a restart, the server waits as long for its clients
echo 10 > /proc/fs/nfsd/nfsv4gracetime
exportfs -ra
rpc.nfsd 8
rpc.mountd

export NFS_TEST_MOUNTS=/mnt/a:/mnt/b NFS_TEST_RESTART='rpc.nfsd 0; sleep 2; rpc.nfsd 8'
cd "$project"
code=0
for set in $options; do
  path=/
  [[ $set != *vers=3* ]] || path=/srv/export/documents
  for name in a b; do
    nsenter --net=/run/netns/$name unshare --uts sh -c "hostname $name; mount -t nfs -o $set 10.9.0.1:$path /mnt/$name" || code=1
  done
  echo "== $(uname -r), $(sed -n 's/.*\/mnt\/a nfs4* \(\S*\).*/\1/p' /proc/mounts)"
  "$node" --import ./scripts/typescript/register.js test/storage/nfs.long.test.ts > /share/results.tap || code=1
  cp /share/results.tap "/share/results-$set.tap"
  grep -a 'not ok\|^ok\|^# {' /share/results.tap
  umount /mnt/a /mnt/b
done
echo $code > /share/code
echo o > /proc/sysrq-trigger
sleep 10
