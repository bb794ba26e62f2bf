# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""less-traffic.py WITHOUT WITH PERCENT: two reports in JSON; fails unless the second run moved at least so much less."""
import json
import sys


def moved(path):
    with open(path, encoding="utf-8") as file:
        devices = [device for task in json.load(file)["tasks"] for device in task["devices"]]
    assert not any(device["failed"] for device in devices)
    return [sum(device[key] for device in devices) for key in ("bytes_in", "bytes_out", "bytes_reused")]


without, with_reuse = moved(sys.argv[1]), moved(sys.argv[2])
less = 100 * (1 - sum(with_reuse[:2]) / sum(without[:2]))
print(f"in, out, reused: {without} and {with_reuse}: {less:.1f} % less moved")
sys.exit(without[2] != 0 or less < float(sys.argv[3]))
