# shellcheck shell=bash
# Shared by the shell tests: a scratch folder that is removed at the end, and named expectations.
# A test sources this, calls `holds` and `equals`, and ends with `finish`; or calls `fail`.

scratch=$(mktemp -d "${TMPDIR:-/tmp}/orrery test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

# holds STATEMENT COMMAND...: the command succeeds.
holds() {
  local statement=$1
  shift
  if "$@"; then
    echo "ok    $statement"
  else
    echo "FALSE $statement"
    failures=$((failures + 1))
  fi
}

# fail STATEMENT: ends the test there.
fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

# equals STATEMENT EXPECTED ACTUAL
equals() {
  if [[ $2 == "$3" ]]; then
    echo "ok    $1"
  else
    echo "FALSE $1"
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^</  expected:/; s/^>/  found:   /' || true
    failures=$((failures + 1))
  fi
}

contains() { [[ $1 == *"$2"* ]]; }
fails() { ! "$@"; }

finish() {
  if ((failures)); then
    echo "$failures of the statements above do not hold"
    exit 1
  fi
}
