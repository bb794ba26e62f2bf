# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails unless each of ThreadSanitizer's reports has a line of races.c on one side at least: none is between two places in the
# runtime.
/^WARNING/ { ++reports; its = 0 }
/^    #0 .*races\.c:/ { its = 1 }
/^SUMMARY/ { ours += its }
END { exit !reports || ours != reports }
