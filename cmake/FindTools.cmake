# What a build is made with, unless the user says otherwise (CC, CXX, -D): clang 22 by the
# names that systems give it, mold or lld as linker, and ccache; of what is not there CMake
# takes its own. Included before project(), for the presets.
macro(yarrow_find_tool variable)
  if(NOT DEFINED ${variable})
    find_program(yarrowTool_${variable} NAMES ${ARGN} PATHS /usr/lib/llvm-22/bin)
    mark_as_advanced(yarrowTool_${variable})
    if(yarrowTool_${variable})
      set(${variable} ${yarrowTool_${variable}})
    endif()
  endif()
endmacro()

if(NOT DEFINED ENV{CC} AND NOT DEFINED ENV{CXX})
  yarrow_find_tool(CMAKE_C_COMPILER clang-22 clang)
  yarrow_find_tool(CMAKE_CXX_COMPILER clang++-22 clang++)
endif()

find_program(YARROW_CCACHE ccache)
mark_as_advanced(YARROW_CCACHE)
if(YARROW_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ccache CACHE STRING "Of C")
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ccache
    CACHE STRING "Of C++")
endif()

find_program(YARROW_LINKER NAMES mold ld.lld-22 ld.lld)
mark_as_advanced(YARROW_LINKER)
if(YARROW_LINKER)
  set(yarrowLinkerFlag -fuse-ld=lld)
  if(YARROW_LINKER MATCHES "mold$")
    set(yarrowLinkerFlag -fuse-ld=mold)
  endif()
  set(CMAKE_EXE_LINKER_FLAGS ${yarrowLinkerFlag} CACHE STRING "Of programs")
  set(CMAKE_SHARED_LINKER_FLAGS ${yarrowLinkerFlag} CACHE STRING "Of libraries")
endif()
