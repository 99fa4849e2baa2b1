# shellcheck shell=bash
# Minimal roots of Debian and Ubuntu, made by debootstrap: sourced by scripts that set `suite`, `tools` (packages,
# separated by commas) and `checkout`, and call open_root. It sets `root`, which is gone when the script ends.
#   ORRERY_MIRROR=URL        of the packages; otherwise the one that this system's apt uses
#   ORRERY_ROOTS=DIR         where roots are made, outside the checkout; otherwise a temporary folder
#   ORRERY_CACHE=DIR         keeps the bare root and downloaded packages for the next call
#   ORRERY_KEEP=1            leaves the root and says where

open_root() {
  case $suite in
    bookworm | trixie) distribution=Debian components=main ;;
    noble) distribution=Ubuntu components=main,universe ;;
    *) fail "give a suite: bookworm, trixie or noble" ;;
  esac
  [[ $(id -u) == 0 ]] || fail "debootstrap and chroot need root"
  command -v debootstrap >/dev/null || fail "debootstrap is not installed"
  mirror=${ORRERY_MIRROR:-$(mirror_of_this_system)}
  [[ -n $mirror ]] || fail "apt uses no mirror of $distribution here: ORRERY_MIRROR=URL names one"
  roots=${ORRERY_ROOTS:-${TMPDIR:-/tmp}/orrery-roots}
  mkdir -p "$roots"
  root=$(mktemp -d "$roots/$suite.XXXXXX")
  chmod 755 "$root"  # a normal user lives in it
  readonly mirror roots root
  trap leave EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  make_root
  # What the installation of a system leaves behind: names that can be looked up.
  cp /etc/hosts /etc/resolv.conf "$root/etc/"
  apt-config dump Acquire::http Acquire::https >"$root/etc/apt/apt.conf.d/90host"
}

mirror_of_this_system() {
  apt-get indextargets --format '$(REPO_URI)' "Label: $distribution" 2>/dev/null | sed -n 1p
}

make_root() {
  local bare=
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mkdir -p "$ORRERY_CACHE/$suite-packages"
    bare=$ORRERY_CACHE/$suite-$(md5sum <<<"$tools" | cut -c1-8).tar
  fi
  if [[ -n $bare && -f $bare ]]; then
    say "unpacking the bare root that was kept"
    tar --extract --numeric-owner --directory "$root" --file "$bare"
    return
  fi
  say "making a minimal root with debootstrap"
  debootstrap --variant=minbase ${tools:+--include="$tools"} --components="$components" "$suite" "$root" \
    "$mirror" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; fail "debootstrap failed"; }
  rm -f "$root.log"
  if [[ -z $bare ]]; then return; fi
  tar --create --numeric-owner --directory "$root" --file "$bare.new" .
  mv "$bare.new" "$bare"
}

# in_root MOUNTS COMMAND...: mounts (more of them, as commands with &&) and processes live in namespaces of their
# own, and end with the command, which gets neither a display nor the settings of whoever calls this.
in_root() {
  local mounts="mount -t proc proc '$root/proc' && mount -t tmpfs -o mode=1777 tmpfs '$root/dev/shm'$1"
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mounts+=" && mount --bind '$ORRERY_CACHE/$suite-packages' '$root/var/cache/apt/archives'"
  fi
  unshare --mount --pid --fork --kill-child bash -c \
    "$mounts && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot '$root' ${*:2}" </dev/null
}

say() { printf '== %s: %s\n' "$suite" "$*"; }

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

leave() {
  if [[ ${ORRERY_KEEP:-} == 1 ]]; then
    say "the root is $root"
  else
    rm -rf --one-file-system "$root"
  fi
}
