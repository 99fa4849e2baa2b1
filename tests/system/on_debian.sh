#!/usr/bin/env bash
# README's two commands, ./orrery and ./orrery test, on a system that has nothing yet: debootstrap
# makes a minimal root, a normal user with sudo clones this checkout's HEAD in it and runs both. Not a
# test of ctest's: it needs root, a package mirror and some 20 minutes.
#   on_debian.sh SUITE       bookworm, trixie, or noble (Ubuntu 24.04)
# Exits with the status of the first command that fails, and ends with the closing line of ctest.
#   ORRERY_MIRROR=URL        of the packages; otherwise the one that this system's apt uses
#   ORRERY_ROOTS=DIR         where roots are made, outside the checkout; otherwise a temporary folder
#   ORRERY_CACHE=DIR         keeps the bare root, downloaded packages and, by ccache in the root, what was
#                            compiled there for the next call
#   ORRERY_KEEP=1            leaves the root with the build in it, and says where
set -euo pipefail

readonly user=visitor
tools=ca-certificates,git,sudo  # what a person has before README is read

main() {
  readonly suite=${1:-}
  case $suite in
    bookworm | trixie) distribution=Debian components=main ;;
    noble) distribution=Ubuntu components=main,universe ;;
    *) fail "on_debian.sh SUITE: bookworm, trixie or noble" ;;
  esac
  readonly distribution components
  [[ $(id -u) == 0 ]] || fail "debootstrap and chroot need root"
  command -v debootstrap >/dev/null || fail "debootstrap is not installed"
  checkout=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
  mirror=${ORRERY_MIRROR:-$(mirror_of_this_system)}
  [[ -n $mirror ]] || fail "apt uses no mirror of $distribution here: ORRERY_MIRROR=URL names one"
  roots=${ORRERY_ROOTS:-${TMPDIR:-/tmp}/orrery-roots}
  mkdir -p "$roots"
  root=$(mktemp -d "$roots/$suite.XXXXXX")
  chmod 755 "$root"  # a normal user lives in it
  readonly checkout mirror roots root
  trap leave EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  make_root
  prepare_root
  run_both
}

# ---- The root ------------------------------------------------------------------------------------------

mirror_of_this_system() {
  apt-get indextargets --format '$(REPO_URI)' "Label: $distribution" 2>/dev/null | sed -n 1p
}

make_root() {
  local bare=
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mkdir -p "$ORRERY_CACHE/$suite-packages" "$ORRERY_CACHE/$suite-compiled"
    chmod 777 "$ORRERY_CACHE/$suite-compiled"
    bare=$ORRERY_CACHE/$suite.tar
    tools+=,ccache
  fi
  if [[ -n $bare && -f $bare ]]; then
    say "unpacking the bare root that was kept"
    tar --extract --numeric-owner --directory "$root" --file "$bare"
    return
  fi
  say "making a minimal root with debootstrap"
  debootstrap --variant=minbase --include="$tools" --components="$components" "$suite" "$root" \
    "$mirror" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; fail "debootstrap failed"; }
  rm -f "$root.log"
  if [[ -z $bare ]]; then return; fi
  tar --create --numeric-owner --directory "$root" --file "$bare.new" .
  mv "$bare.new" "$bare"
}

# What the installation of a system leaves behind: names that can be looked up, a user who may use
# sudo; and the checkout.
prepare_root() {
  cp /etc/hosts /etc/resolv.conf "$root/etc/"
  apt-config dump Acquire::http Acquire::https >"$root/etc/apt/apt.conf.d/90host"
  chroot "$root" useradd --create-home --shell /bin/bash "$user"
  echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mkdir "$root/srv/compiled"
    # Precompiled headers need the leniency.
    printf '%s\n' 'cache_dir = /srv/compiled' 'base_dir = /home' 'umask = 000' \
      'sloppiness = pch_defines,time_macros,include_file_mtime,include_file_ctime' >"$root/etc/ccache.conf"
  fi
  if [[ -n $(git -C "$checkout" status --porcelain) ]]; then
    say "what is not committed is not part of this"
  fi
  git clone --quiet --no-local "$checkout" "$root/home/$user/orrery"
  chroot "$root" chown -R "$user:" "/home/$user/orrery"
}

# ---- The commands --------------------------------------------------------------------------------------

run_both() {
  local started=$SECONDS status=0
  say "./orrery"
  as_visitor './orrery' || status=$?
  say "./orrery ended with $status after $((SECONDS - started)) s"
  ((status == 0)) || exit "$status"
  has_drawn_every_view || fail "./orrery drew no pictures"
  started=$SECONDS
  say "./orrery test"
  as_visitor './orrery test' | tee "$root/ctest.log" || status=$?
  say "./orrery test ended with $status after $((SECONDS - started)) s"
  say "$(grep 'tests passed' "$root/ctest.log" || echo 'ctest did not get to its closing line')"
  exit "$status"
}

# Mounts and processes live in namespaces of their own, and end with the command.
as_visitor() {
  local mounts="mount -t proc proc '$root/proc' && mount -t tmpfs -o mode=1777 tmpfs '$root/dev/shm'"
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mounts+=" && mount --bind '$ORRERY_CACHE/$suite-packages' '$root/var/cache/apt/archives'"
    mounts+=" && mount --bind '$ORRERY_CACHE/$suite-compiled' '$root/srv/compiled'"
  fi
  # Neither a display nor the settings of whoever calls this.
  unshare --mount --pid --fork --kill-child bash -c \
    "$mounts && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot '$root' \
     su --login '$user' --command 'cd orrery && $1'" </dev/null
}

has_drawn_every_view() { compgen -G "$root/home/$user/orrery/orrery-views/*.png" >/dev/null; }

# ---- Talk, and the end ---------------------------------------------------------------------------------

say() { printf '== %s: %s\n' "$suite" "$*"; }

fail() {
  printf 'on_debian.sh: %s\n' "$*" >&2
  exit 2
}

leave() {
  if [[ ${ORRERY_KEEP:-} == 1 ]]; then
    say "the root is $root"
  else
    rm -rf --one-file-system "$root"
  fi
}

main "$@"
