# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DOUTPUT=AbiText.inc -DINPUTS=launch.h,abi.h -P EmbedAbi.cmake
#
# Writes the headers, one after another and without their preprocessor lines, as C++ raw string
# literals: the text that agglomcc puts in front of the code it generates.
string(REPLACE "," ";" inputs "${INPUTS}")
set(text "// Generated from the public headers by cmake/EmbedAbi.cmake. Do not edit.\n")
foreach(input IN LISTS inputs)
  file(READ "${input}" header)
  # A directive reaches to the end of its line, and further after a backslash.
  string(REGEX REPLACE "\n[ \t]*#([^\n]*\\\\\n)*[^\n]*" "" header "\n${header}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" header "${header}")
  # The licence line is the project's, not that of the code being compiled.
  string(REGEX REPLACE "^\n/\\* SPDX[^\n]*\n" "" header "${header}")
  string(APPEND text "R\"AGGLOM(${header})AGGLOM\"\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
