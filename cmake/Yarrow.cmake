# The few build rules that every folder shares.

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                    -Wno-deprecated-declarations -fno-math-errno
                    -ffp-contract=off)
# Of the compiler that this is written with; nobody here has seen the warnings of others.
set(yarrowWerror OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION MATCHES "^22\\.")
  set(yarrowWerror ON)
endif()
option(YARROW_WERROR "A warning is an error" ${yarrowWerror})
if(YARROW_WERROR)
  add_compile_options(-Werror)
endif()
include_directories(${CMAKE_SOURCE_DIR})
# TableGen's output: its warnings are not ours.
include_directories(SYSTEM ${CMAKE_BINARY_DIR})

# RelWithDebInfo is what the sanitizers are built as. With their checks the code
# that TableGen writes takes four times as long to optimize as without optimizing,
# and decides nothing there: kernels and simulator do. Not so in other builds.
set(yarrowUnhurried $<$<CONFIG:RelWithDebInfo>:-O0>)

# Some files of a library as one, whose headers are read and whose templates are
# made once: half of the time of a build. So few that one that was touched is
# compiled in seconds. Builds without (scripts/check.sh) find what a file has from
# its neighbours only.
option(YARROW_UNITY "Compile files of a library together" OFF)
set(yarrowFilesTogether 6)
function(yarrow_compile_together name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${YARROW_UNITY}
                        UNITY_BUILD_BATCH_SIZE ${yarrowFilesTogether})
endfunction()

# yarrow_add_library(NAME sources... [LINK libs...] [SEPARATE]): a library without
# MLIR. SEPARATE: each file on its own, as they use the same names for themselves,
# their speed was measured so, or another library has some of them, too.
function(yarrow_add_library name)
  cmake_parse_arguments(ARG "SEPARATE" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_SEPARATE)
    yarrow_compile_together(${name})
  endif()
endfunction()

# Headers that are read once: MLIR's are most of what a file of the compiler
# takes, GoogleTest's of what a test takes. Tests are not optimized: they decide
# no speed but that of the build.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest REQUIRED)
elseif(EXISTS /usr/src/googletest)
  # Debian's package has the sources, too.
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  foreach(target gtest gtest_main gmock gmock_main)
    target_compile_options(${target} PRIVATE -w)
  endforeach()
endif()
option(YARROW_PRECOMPILED_HEADERS "Read MLIR's and GoogleTest's headers once" ${YARROW_COMPILER})
separate_arguments(yarrowLlvmDefinitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
set(yarrowTestOptions -O0)
# yarrow_precompile(NAME header options...)
function(yarrow_precompile name header)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_include_directories(${name} SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
endfunction()
if(YARROW_PRECOMPILED_HEADERS)
  # ccache knows a file again whose precompiled header has not changed.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  yarrow_precompile(yarrow_mlir_headers MlirHeaders.h ${yarrowLlvmDefinitions} ${yarrowUnhurried})
  yarrow_precompile(yarrow_compiler_headers CompilerHeaders.h
    ${yarrowLlvmDefinitions} ${yarrowUnhurried})
  yarrow_precompile(yarrow_test_headers TestHeaders.h ${yarrowTestOptions})
  yarrow_precompile(yarrow_mlir_test_headers MlirTestHeaders.h
    ${yarrowLlvmDefinitions} ${yarrowTestOptions})
  foreach(headers yarrow_test_headers yarrow_mlir_test_headers)
    target_link_libraries(${headers} PRIVATE GTest::gmock)
  endforeach()
endif()
# Of a target that is compiled with the options of the headers.
function(yarrow_use_precompiled_headers name headers)
  if(YARROW_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${headers})
  endif()
endfunction()

# yarrow_add_mlir_library(NAME sources... [LINK libs...] [DEPENDS targets...]
# [HEADERS target]): a library that sees LLVM and MLIR headers, linked to the
# shared libraries (never to static MLIR archives: two copies of MLIR in a process
# crash). HEADERS: which of the precompiled ones, yarrow_mlir_headers if not said.
function(yarrow_add_mlir_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  yarrow_compile_together(${name})
  target_compile_options(${name} PUBLIC ${yarrowLlvmDefinitions} PRIVATE ${yarrowUnhurried})
  set_property(GLOBAL APPEND PROPERTY YARROW_MLIR_LIBRARIES ${name})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS yarrow_mlir_headers)
  endif()
  yarrow_use_precompiled_headers(${name} ${ARG_HEADERS})
  # Where an installed library is used, YarrowConfig.cmake says where MLIR is.
  target_include_directories(${name} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS};${LLD_INCLUDE_DIRS}>")
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# yarrow_compile_as_test(NAME libs...): a program that decides no speed, with the
# precompiled headers that go with the libraries that it links.
function(yarrow_compile_as_test name)
  # As the headers are compiled: of a program CMake would make it -fPIE, with
  # which clang does not take them.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC ${yarrowTestOptions})
  get_property(mlirLibraries GLOBAL PROPERTY YARROW_MLIR_LIBRARIES)
  set(headers yarrow_test_headers)
  foreach(library ${ARGN})
    if(library IN_LIST mlirLibraries)
      set(headers yarrow_mlir_test_headers)
    endif()
  endforeach()
  yarrow_use_precompiled_headers(${name} ${headers})
endfunction()

# yarrow_add_unit_test(NAME sources... LINK libs... [THREADS] [LONG]): a GoogleTest
# program that ctest runs, with the labels "unit" and "quick"; the target unit_tests
# builds all of them. THREADS: what it tests runs on several threads; label "thread",
# target thread_tests. LONG: too long for the quick tier.
add_custom_target(unit_tests)
add_custom_target(thread_tests)
function(yarrow_add_unit_test name)
  cmake_parse_arguments(ARG "THREADS;LONG" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  yarrow_compile_as_test(${name} ${ARG_LINK})
  yarrow_compile_together(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit)
  if(NOT ARG_LONG)
    set_property(TEST ${name} APPEND PROPERTY LABELS quick)
  endif()
  add_dependencies(unit_tests ${name})
  if(ARG_THREADS)
    set_property(TEST ${name} APPEND PROPERTY LABELS thread)
    add_dependencies(thread_tests ${name})
  endif()
endfunction()

# yarrow_add_thorough_test(NAME command...): the whole of what another test takes a
# part of, too long for every change. scripts/check.sh thorough runs these alone.
function(yarrow_add_thorough_test name)
  add_test(NAME ${name} CONFIGURATIONS Thorough COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS thorough TIMEOUT 7200
                       ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()
