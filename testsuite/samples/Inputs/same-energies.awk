# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# awk -v tolerance=T -f same-energies.awk A B: do the two outputs of md2d give the same kinetic, potential
# and total energy, to T relative?
NR == FNR && / energy / {
  first[$1] = $3
}
NR != FNR && / energy / {
  d = $3 - first[$1]
  m = first[$1] < 0 ? -first[$1] : first[$1]
  if (d < 0)
    d = -d
  if (!($1 in first) || !(d <= tolerance * m)) {
    printf "%s energy: %s, but %s in %s\n", $1, first[$1], $3, FILENAME
    bad = 1
  }
  ++n
}
END {
  if (n != 3)
    print "there are not three energies to compare"
  exit bad || n != 3
}
