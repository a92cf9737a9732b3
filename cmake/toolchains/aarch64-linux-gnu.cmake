# 64-bit ARM on another machine, with clang, which makes code for any, and Debian's
# libraries for cross-compilation: libc6-dev-arm64-cross and libstdc++-12-dev-arm64-cross.
# With YARROW_SYSROOT the headers and libraries of an arm64 system in that folder instead,
# as the compiler needs them. What is built runs by qemu-user. scripts/arm64.sh uses both.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
foreach(language C CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
add_link_options(-fuse-ld=lld)
# Those of GNU know this machine's files alone.
foreach(tool AR RANLIB STRIP)
  string(TOLOWER llvm-${tool}-22 program)
  find_program(CMAKE_${tool} ${program} REQUIRED)
endforeach()
# Libraries of this machine are none of that one; headers and CMake's files are, but where
# that one has its own.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES YARROW_SYSROOT)
if(YARROW_SYSROOT)
  set(CMAKE_SYSROOT ${YARROW_SYSROOT})
  set(CMAKE_FIND_ROOT_PATH ${YARROW_SYSROOT})
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_FIND_ROOT_PATH})
