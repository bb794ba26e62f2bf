# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""marks.py FILE.svg: how many marks of particles a picture has that matplotlib has written."""
import sys
import xml.dom.minidom

groups = xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("g")
print(sum(len(g.getElementsByTagName("use")) for g in groups if "Collection" in g.getAttribute("id")))
