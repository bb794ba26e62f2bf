#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds md2d twice from the same source, serially with the C compiler at hand and agglomerated with
# agglomcc, runs both, and checks that the energies agree and that more than 1,000 work units a step
# needed fewer than 20 launches on the emulated device.
#
# usage: demo.sh BUILD_DIR [md2d option...]
#   AGGLOMCC   the agglomerating compiler (BUILD_DIR/bin/agglomcc)
#   CC         the serial compiler (cc)
set -u
LC_ALL=C
export LC_ALL

die() {
  echo "demo: $*" >&2
  exit 1
}

[ $# -ge 1 ] || die "usage: demo.sh BUILD_DIR [md2d option...]"
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd) || die "cannot find the folder of md2d.c."
agglomcc=${AGGLOMCC:-$build/bin/agglomcc}
cc=${CC:-cc}
[ -n "${AGGLOMCC:-}" ] || [ -x "$agglomcc" ] || die "there is no $agglomcc; build agglom first (make)."
[ $# -gt 0 ] || set -- --particles 20000 --cells 16x16 --steps 10

dir=$(mktemp -d) || die "cannot make a temporary folder; is TMPDIR writable?"
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# The compilers may carry options, so they are split into words.
$cc -O2 -Wall -Wextra "$here/md2d.c" "$here"/../common/*.c -o "$dir/serial" -lm ||
  die "$cc could not build md2d.c."
$agglomcc -O2 "$here/md2d.c" "$here"/../common/*.c -o "$dir/agglom" -lm || die "$agglomcc could not build md2d.c."

echo "--- serial ($cc)"
"$dir/serial" "$@" >"$dir/serial.out" || die "the serial program failed."
cat "$dir/serial.out"
# The emulated device is made of CPU threads, so which side is faster is chance: all units go to it.
echo "--- agglomerated ($agglomcc, all units on the emulated device)"
AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_REPORT=1 "$dir/agglom" "$@" >"$dir/agglom.out" 2>"$dir/report" || {
  cat "$dir/agglom.out" "$dir/report"
  die "the agglomerated program failed."
}
cat "$dir/agglom.out"

echo "--- compared"
awk '
  / energy / && NR == FNR { serial[$1] = $3 }
  / energy / && NR != FNR {
    if (!($1 in serial)) { bad = 1; next }
    d = $3 - serial[$1]
    if (d < 0) d = -d
    m = serial[$1] < 0 ? -serial[$1] : serial[$1]
    d = d == 0 ? 0 : d / m
    printf "%-9s energy: relative difference %.2g\n", $1, d
    ++n
    if (!(d <= 1e-6)) bad = 1
  }
  END { exit bad || n != 3 }' "$dir/serial.out" "$dir/agglom.out" ||
  die "the energies of the two programs differ by more than 1e-6 relative, or are missing."

evaluations=$(sed -n 's/^steps .*(\([0-9]*\) evaluations.*/\1/p' "$dir/agglom.out")
awk -v steps="$evaluations" '
  / units in [0-9]+ launch(es)? on emulated/ {
    name = $1
    sub(/:$/, "", name)
    units[name] += $2
    launches += $5
  }
  END {
    if (!steps || !launches) exit 1
    printf "interact units a step on the device: %.1f (more than 1000 wanted)\n", units["interact"] / steps
    printf "launches a step, of all tasks:       %.1f (fewer than 20 wanted)\n", launches / steps
    exit !(units["interact"] / steps > 1000 && launches / steps < 20)
  }' "$dir/report" || {
  cat "$dir/report"
  die "the report does not show more than 1000 interact units a step in fewer than 20 launches."
}

echo "--- report of the agglomerated run"
cat "$dir/report"
