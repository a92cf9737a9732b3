# The few build rules that every folder shares.

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                    -Wno-deprecated-declarations -fno-math-errno
                    -ffp-contract=off)
# On in the presets, which name the compiler; off for others, whose warnings
# nobody here has seen.
option(YARROW_WERROR "A warning is an error" OFF)
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

# yarrow_add_library(NAME sources... [LINK libs...]): a library without MLIR.
function(yarrow_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# MLIR's headers, precompiled: most of what a file of the compiler takes.
option(YARROW_PRECOMPILED_HEADERS "Read MLIR's headers once" ON)
separate_arguments(yarrowLlvmDefinitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
if(YARROW_PRECOMPILED_HEADERS)
  # ccache knows a file again whose precompiled header has not changed.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/MlirHeaders.cpp CONTENT "")
  add_library(yarrow_mlir_headers STATIC ${CMAKE_BINARY_DIR}/MlirHeaders.cpp)
  target_compile_options(yarrow_mlir_headers PRIVATE ${yarrowLlvmDefinitions} ${yarrowUnhurried})
  target_include_directories(yarrow_mlir_headers SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
  target_precompile_headers(yarrow_mlir_headers PRIVATE ${CMAKE_SOURCE_DIR}/cmake/MlirHeaders.h)
endif()
# Of a target that is compiled with MLIR's options.
function(yarrow_use_precompiled_headers name)
  if(YARROW_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM yarrow_mlir_headers)
  endif()
endfunction()

# yarrow_add_mlir_library(NAME sources... [LINK libs...] [DEPENDS targets...]):
# a library that sees LLVM and MLIR headers, linked to the shared libraries
# (never to static MLIR archives: two copies of MLIR in a process crash).
function(yarrow_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PUBLIC ${yarrowLlvmDefinitions} PRIVATE ${yarrowUnhurried})
  set_property(GLOBAL APPEND PROPERTY YARROW_MLIR_LIBRARIES ${name})
  yarrow_use_precompiled_headers(${name})
  # Where an installed library is used, YarrowConfig.cmake says where MLIR is.
  target_include_directories(${name} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS};${LLD_INCLUDE_DIRS}>")
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# yarrow_add_unit_test(NAME sources... LINK libs... [THREADS]): a GoogleTest program
# that ctest runs, with the label "unit"; the target unit_tests builds all of them.
# THREADS: what it tests runs on several threads; label "thread", target
# thread_tests.
add_custom_target(unit_tests)
add_custom_target(thread_tests)
function(yarrow_add_unit_test name)
  cmake_parse_arguments(ARG "THREADS" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${yarrowUnhurried})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  get_property(mlirLibraries GLOBAL PROPERTY YARROW_MLIR_LIBRARIES)
  foreach(library ${ARG_LINK})
    if(library IN_LIST mlirLibraries)
      # As the headers are compiled: of a program CMake would make it -fPIE,
      # with which clang does not take them.
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${name} PRIVATE -fPIC)
      yarrow_use_precompiled_headers(${name})
      break()
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit)
  add_dependencies(unit_tests ${name})
  if(ARG_THREADS)
    set_property(TEST ${name} APPEND PROPERTY LABELS thread)
    add_dependencies(thread_tests ${name})
  endif()
endfunction()
