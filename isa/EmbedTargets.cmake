# Makes targets/*.json part of the program, so that an installed one finds
# them. Included by isa/CMakeLists.txt, it sets yarrowEmbeddedTargets to the
# generated source; run as a script, it writes that source:
#   cmake -D out=EmbeddedTargets.cpp -D folder=targets -P EmbedTargets.cmake

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(yarrowEmbeddedTargets ${CMAKE_CURRENT_BINARY_DIR}/EmbeddedTargets.cpp)
  file(GLOB yarrowTargetFiles CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/../targets/*.json)
  add_custom_command(OUTPUT ${yarrowEmbeddedTargets}
    COMMAND ${CMAKE_COMMAND} -D out=${yarrowEmbeddedTargets}
            -D folder=${CMAKE_CURRENT_LIST_DIR}/../targets
            -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${CMAKE_CURRENT_LIST_FILE} ${yarrowTargetFiles} VERBATIM)
  return()
endif()

file(GLOB files ${folder}/*.json)
list(SORT files)
list(LENGTH files count)
set(text "// Generated from targets/*.json.
#include \"isa/EmbeddedTargets.h\"
namespace yarrow::isa {
const EmbeddedTarget embeddedTargets[] = {\n")
foreach(path IN LISTS files)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} json)
  string(APPEND text "{\"${name}\", R\"json(${json})json\"},\n")
endforeach()
string(APPEND text "};
const unsigned numEmbeddedTargets = ${count};
} // namespace yarrow::isa\n")
file(WRITE ${out} "${text}")
