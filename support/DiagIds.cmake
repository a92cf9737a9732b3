# cmake -DDEF=support/Diagnostics.def -DROOT=. -DOUT=DiagIds.inc -P DiagIds.cmake
#
# The identifiers of all diagnostics, in the order of the table, without their
# texts. Diagnostics.h includes only this: a change of an explanation compiles
# Diagnostics.cpp, not the whole program.
file(STRINGS ${DEF} includes REGEX "^#include ")
set(ids)
foreach(line ${includes})
  string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" path "${line}")
  # Records hold brackets and semicolons: read as one text, not as a list.
  file(READ ${ROOT}/${path} text)
  string(REGEX MATCHALL "\nDIAG\\([A-Za-z]+," found "${text}")
  foreach(record ${found})
    string(REGEX REPLACE "\nDIAG\\(([A-Za-z]+)," "DIAG_ID(\\1)\n" id "${record}")
    string(APPEND ids "${id}")
  endforeach()
endforeach()
file(WRITE ${OUT}.new "${ids}")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
