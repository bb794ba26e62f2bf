# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""look-ahead.py TRACE LEAST MOST: of the samples' lu, how many panels ran while updates were on a device; fails unless it
is from LEAST to MOST."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
updates = [event for event in events if event["cat"] == "batch" and event["name"].startswith("update")]
panels = [event for event in events if event["cat"] == "units" and event["name"] == "factorise_panel"]
assert updates and panels
beside = sum(any(panel["ts"] < update["ts"] + update["dur"] and update["ts"] < panel["ts"] + panel["dur"] for update in updates)
             for panel in panels)
print(f"{beside} of {len(panels)} panels ran beside updates")
sys.exit(not int(sys.argv[2]) <= beside <= int(sys.argv[3]))
