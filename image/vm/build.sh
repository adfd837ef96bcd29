#!/usr/bin/env bash
# The disk image of a virtual machine: Debian with the package of agentbox, a serial console, and a second partition for
# the data, which grows with the disk. Needs root, for mmdebstrap.
# usage: image/vm/build.sh PACKAGE.deb FOLDER     makes FOLDER/agentbox-VERSION-vm.qcow2 and .raw, prints their paths
set -euo pipefail
package=$(realpath "$1") out=$(realpath "$2")
cd "$(dirname "$0")"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
version=$(dpkg-deb -f "$package" Version)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

readonly sector=512 mebibyte=$((1024 * 1024)) root_mebibytes=1280 data_mebibytes=256
readonly root_start=1 data_start=$((1 + root_mebibytes))  # in mebibytes; the boot loader is in front

included=(linux-image-cloud-amd64 systemd-sysv udev dbus initramfs-tools e2fsprogs fdisk iproute2 openssh-server
          systemd-resolved systemd-timesyncd tzdata ca-certificates adduser apparmor less nano-tiny)
# What the package depends on comes from where this machine gets its packages: inside, no name may resolve yet.
mapfile -t depends < <(dpkg-deb -f "$package" Pre-Depends Depends | sed 's/^[A-Za-z-]*: *//' | tr ',' '\n' | awk '{print $1}')
included+=("${depends[@]}")
# What the machine's own hardware needs of the kernel, and nothing else: the initial file system stays small.
cat >"$work/initramfs.conf" <<'CONF'
MODULES=list
COMPRESS=zstd
CONF
printf '%s\n' virtio_pci virtio_blk virtio_scsi sd_mod ahci ata_piix nvme hv_storvsc vmw_pvscsi ext4 crc32c >"$work/modules"

mmdebstrap --quiet --variant=minbase --include="$(IFS=,; echo "${included[*]}")" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-include=/usr/share/man/man1/agentbox*' \
  --essential-hook='mkdir -p "$1/usr/share/man/man1"' \
  --customize-hook="cp '$package' \"\$1/tmp/agentbox.deb\"" \
  --customize-hook='chroot "$1" env DEBIAN_FRONTEND=noninteractive dpkg --install /tmp/agentbox.deb >/dev/null' \
  --customize-hook='rm "$1/tmp/agentbox.deb"' \
  --customize-hook="cp '$work/initramfs.conf' \"\$1/etc/initramfs-tools/conf.d/agentbox\"; cp '$work/modules' \"\$1/etc/initramfs-tools/modules\"" \
  --customize-hook='chroot "$1" update-initramfs -u >/dev/null' \
  bookworm "$work/root"

# The machine's own configuration.
root=$work/root
cp -r files/. "$root/"
chmod 755 "$root"/usr/lib/agentbox-vm/*
sed -i "s/@VERSION@/$version/" "$root/etc/issue"
printf 'agentbox\n' >"$root/etc/hostname"
printf '127.0.0.1 localhost agentbox\n::1 localhost\n' >"$root/etc/hosts"
sed -i 's/^# web_listen = .*/web_listen = "0.0.0.0:3000"/' "$root/etc/agentbox/agentbox.toml"
: >"$root/etc/machine-id"
rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id"
ln -sf /run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
chroot "$root" systemctl --quiet enable systemd-networkd systemd-resolved agentbox agentbox-first-boot agentbox-grow getty@tty1 serial-getty@ttyS0
chroot "$root" systemctl --quiet disable ssh.service
chroot "$root" passwd --quiet --lock root
kernel=$(basename "$(ls "$root"/boot/vmlinuz-*)") initrd=$(basename "$(ls "$root"/boot/initrd.img-*)")
mkdir -p "$root/boot/grub"
cat >"$root/boot/grub/grub.cfg" <<GRUB
serial --unit=0 --speed=115200
terminal_output console serial
set timeout=0
linux /boot/$kernel root=LABEL=agentbox-root ro console=tty0 console=ttyS0,115200 quiet
initrd /boot/$initrd
boot
GRUB

# Both partitions are made from folders, without mounting anything.
file_system() { # FILE MEBIBYTES LABEL FOLDER
  truncate -s "$2M" "$1"
  mkfs.ext4 -q -F -L "$3" -d "$4" -E root_owner=0:0 -O ^metadata_csum_seed "$1"
}
mv "$root/var/lib/agentbox" "$work/data"
mkdir "$root/var/lib/agentbox"
owner=$(stat -c %u:%g "$work/data")
file_system "$work/root.ext4" "$root_mebibytes" agentbox-root "$root"
truncate -s "${data_mebibytes}M" "$work/data.ext4"
mkfs.ext4 -q -F -L agentbox-data -m 0 -E "root_owner=$owner" "$work/data.ext4"

disk=$out/agentbox-$version-vm.raw
rm -f "$disk"
truncate -s "$((data_start + data_mebibytes + 1))M" "$disk"
sfdisk --quiet "$disk" <<TABLE
label: dos
label-id: 0x61676274
start=$((root_start * mebibyte / sector)), size=$((root_mebibytes * mebibyte / sector)), type=83, bootable
start=$((data_start * mebibyte / sector)), size=$((data_mebibytes * mebibyte / sector)), type=83
TABLE
# GRUB's first sector loads the second, and this the rest of the core, which knows where its files are.
grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o "$work/core.img" biosdisk part_msdos ext2 normal linux serial terminal configfile boot
dd if=/usr/lib/grub/i386-pc/boot.img of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$work/core.img" of="$disk" bs=$sector seek=1 conv=notrunc status=none
dd if="$work/root.ext4" of="$disk" bs=1M seek=$root_start conv=notrunc,sparse status=none
dd if="$work/data.ext4" of="$disk" bs=1M seek=$data_start conv=notrunc,sparse status=none
qemu-img convert -c -O qcow2 "$disk" "$out/agentbox-$version-vm.qcow2"
printf '%s\n' "$out/agentbox-$version-vm.qcow2" "$disk"
