#!/usr/bin/env bash
# README's two commands, ./orrery and ./orrery test, on a system that has nothing yet: debootstrap
# makes a minimal root, a normal user with sudo clones this checkout's HEAD in it and runs both. Not a
# test of ctest's: it needs root, a package mirror and some 20 minutes.
#   on_debian.sh SUITE       bookworm, trixie, or noble (Ubuntu 24.04)
# Exits with the status of the first command that fails, and ends with the closing line of ctest.
# Variables: debian_root.sh; ORRERY_CACHE also keeps what was compiled there.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/debian_root.sh
source "$here/debian_root.sh"

readonly user=visitor
tools=ca-certificates,git,sudo  # what a person has before README is read

main() {
  readonly suite=${1:-}
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mkdir -p "$ORRERY_CACHE/$suite-compiled"
    chmod 777 "$ORRERY_CACHE/$suite-compiled"
  fi
  checkout=$(git -C "$here" rev-parse --show-toplevel)
  readonly checkout
  open_root
  prepare_root
  run_both
}

# A user who may use sudo; and the checkout.
prepare_root() {
  chroot "$root" useradd --create-home --shell /bin/bash "$user"
  echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    mkdir "$root/srv/compiled"
    printf '%s\n' 'cache_dir = /srv/compiled' 'umask = 000' >"$root/etc/ccache.conf"
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

as_visitor() {
  local compiled=''
  if [[ -n ${ORRERY_CACHE:-} ]]; then
    compiled=" && mount --bind '$ORRERY_CACHE/$suite-compiled' '$root/srv/compiled'"
  fi
  in_root "$compiled" "su --login '$user' --command 'cd orrery && $1'"
}

has_drawn_every_view() { compgen -G "$root/home/$user/orrery/orrery-views/*.png" >/dev/null; }

main "$@"
