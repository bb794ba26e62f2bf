# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command of the arguments with outputs that nobody reads any more; fails unless its status is 74, that of a failed write."""
import os
import subprocess
import sys

read, write = os.pipe()
os.close(read)
status = subprocess.run(sys.argv[1:], stdout=write, stderr=write).returncode
print(status)
sys.exit(status != 74)
