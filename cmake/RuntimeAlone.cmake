# The half of Yarrow that needs no LLVM: what loads and runs executables, the kernels as
# the host computes them, the device of the Compass driver, and the unit tests of all that.
foreach(folder support isa kernels simulator runtime api/driver)
  add_subdirectory(${folder})
endforeach()
yarrow_add_library(yarrow_test_tec_encode test/TecEncode.cpp LINK yarrow_isa)
foreach(folder support isa kernels simulator runtime)
  add_subdirectory(test/unit/${folder})
endforeach()

install(TARGETS yarrow_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES runtime/include/yarrow/yarrow.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yarrow)
install(DIRECTORY ${yarrowSimulatorFolder} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(PkgConfig)

# Of which another machine's runs are compared with this one's.
add_executable(run_executable test/arm64/run_executable.c)
target_include_directories(run_executable PRIVATE runtime/include)
target_link_libraries(run_executable PRIVATE yarrow_shared)
