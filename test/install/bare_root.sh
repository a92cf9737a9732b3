# A bare Debian in a folder, for the scripts beside this one, which source it: Debian 12,
# or the release whose name DEBIAN_RELEASE has (trixie is Debian 13). debootstrap fills
# it from where this system gets its own packages. Needs root.
#
#   make_bare_root FOLDER     # unless it is one already
#   inside 'apt-get ...'      # a command in it
#   leave_bare_root
debianRelease=${DEBIAN_RELEASE:-bookworm}

# Where this system gets packages of its own release, its updates or its security
# updates (-updates, -security); a mirror has all releases.
site() {
  local own
  own=$(. /etc/os-release && printf %s "$VERSION_CODENAME")
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(CREATED_BY) $(SITE)' |
    awk -v release="$own${1:-}" \
      '$1 == release && $2 == "main" && $3 == "Packages" { print $4; exit }'
}

make_bare_root() {
  root=$1
  mkdir -p "$root"
  if [ ! -e "$root/bin/sh" ]; then
    debootstrap --variant=minbase "$debianRelease" "$root" "$(site)" >"$root.log" 2>&1 || {
      tail "$root.log" >&2
      exit 1
    }
  fi
  # LLVM 22 is one of the security updates.
  for part in "" -updates -security; do
    echo "deb $(site $part) $debianRelease$part main"
  done >"$root/etc/apt/sources.list"
  cp /etc/resolv.conf "$root/etc/"
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  # Tests of terminals open pseudo terminals.
  mountpoint -q "$root/dev/pts" || mount --bind /dev/pts "$root/dev/pts"
}

inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$1"
}

leave_bare_root() {
  umount -q "$root/proc" "$root/dev/pts" || true
}
