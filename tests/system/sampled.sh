# shellcheck shell=bash
# is_tried NUMBER: whether an item of a list is tried, as tests/support/sampled.h says it.
is_tried() {
  local chosen=${ORRERY_SEVENTH:-0}
  [[ $chosen == all ]] || (($1 % 7 == chosen))
}
