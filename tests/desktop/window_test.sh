#!/usr/bin/env bash
# The desktop's window on a display of its own (Xvfb): it opens, it survives the loss of its OpenGL
# context, and where it cannot open it says why.
#   window_test.sh DESKTOP FAILING_DRIVER
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../system/check.sh"
readonly desktop=$1
# By its name: LD_PRELOAD takes no path with a space.
readonly failing_driver=(LD_LIBRARY_PATH="${2%/*}" LD_PRELOAD="${2##*/}")
cd "$scratch" || exit 1
export XDG_STATE_HOME=$scratch/state LIBGL_ALWAYS_SOFTWARE=1
unset DISPLAY WAYLAND_DISPLAY

# on_display COMMAND...: its output in $out and its exit status in $status. xvfb-run's own status is
# another one when the display does not go down in time.
on_display() {
  rm -f status
  out=$(timeout 300 xvfb-run --auto-servernum --server-args '-screen 0 1400x900x24' \
    bash -c '"$@"; echo $? >"$0"' "$scratch/status" "$@" 2>&1)
  status=$(cat status 2>/dev/null || echo none)
}
# The share of pixels that differ before and after, in the last line of the failing driver, as 0.0123.
at_most() { awk -v found="$1" -v most="$2" 'BEGIN { exit !(found != "" && found <= most) }'; }

on_display env "${failing_driver[@]}" "$desktop" --view attention_map
equals "a desktop whose context is lost goes on until it is closed" 0 "$status"
[[ $out =~ windows\ ([0-9]+),\ different\ ([0-9.]+) ]]
equals "in a second window" 2 "${BASH_REMATCH[1]:-$out}"
# Without its textures and letters a fifth of it would differ; the status line may.
holds "that shows the same (${BASH_REMATCH[2]:-})" at_most "${BASH_REMATCH[2]:-}" 0.02

on_display env "${failing_driver[@]}" ORRERY_RECOVERS=0 "$desktop" --view attention_map
equals "a driver that does not recover ends it with status 4" 4 "$status"
holds "and with what to do" contains "$out" "opens no new window; start orrery-desktop again"

on_display env MESA_GL_VERSION_OVERRIDE=2.1 "$desktop"
equals "a driver that is too old ends it with status 4" 4 "$status"
holds "which is said" contains "$out" "no window: the graphics driver offers no OpenGL 3.2"
holds "with the remedy" contains "$out" "or update the graphics driver"

printf '<?xml version="1.0"?><fontconfig><dir>%s/none</dir></fontconfig>' "$scratch" >no_fonts.conf
on_display env FONTCONFIG_FILE="$scratch/no_fonts.conf" "$desktop"
equals "without fonts it ends with status 4" 4 "$status"
holds "and names the package" contains "$out" "apt install fonts-dejavu-core"
finish
