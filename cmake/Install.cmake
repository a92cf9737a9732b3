# What `cmake --install` puts where, for those who use Yarrow from outside
# (docs/embedding.md, which test/install follows to the letter):
#
#   bin/                    yarrow, yarrow-opt
#   lib/libyarrow.so        the runtime behind the C interface, and nothing else
#   lib/libyarrow_compiler.so the compiler and the runtime behind theirs
#   lib/libneuralnetworks.so NNAPI's functions, which use it
#   lib/libyarrow_onnxruntime.so the provider that ONNX Runtime loads, which uses it, too
#   lib/yarrow-driver/      libaipu_simulator_x2.so and its other names, for
#                           applications of the Compass driver (docs/driver.md)
#   lib/libyarrow_*.a       the dialects and the reader of Compass IR
#   include/yarrow/         yarrow.h, compiler.h, NeuralNetworks.h, and the C++
#                           headers by their folders
#   lib/cmake/Yarrow/       find_package(Yarrow COMPONENTS runtime compiler
#                           dialects nnapi)
#   lib/pkgconfig/          pkg-config --cflags --libs yarrow, or yarrow-compiler
#   share/                  manual pages, and completions for bash and zsh
include(CMakePackageConfigHelpers)

install(TARGETS yarrow yarrow-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The C interface.
install(TARGETS yarrow_shared EXPORT YarrowRuntime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES runtime/include/yarrow/yarrow.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yarrow)

# The same with the compiler.
install(TARGETS yarrow_compiler_shared EXPORT YarrowCompiler
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY api/compiler/include/yarrow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# NNAPI's functions.
install(TARGETS yarrow_neuralnetworks EXPORT YarrowNnapi
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY api/nnapi/include/yarrow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The provider that ONNX Runtime loads by its path.
install(TARGETS yarrow_onnxruntime LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The simulator by the names that the Compass driver looks for: in a folder of
# its own, as a vendor's simulator has them, too.
install(TARGETS yarrow_driver_x2
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/yarrow-driver)
foreach(name ${yarrowSimulatorNames})
  install(FILES ${yarrowSimulatorFolder}/libaipu_simulator_${name}.so
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/yarrow-driver)
endforeach()
install(FILES isa/SimulatorApi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yarrow/isa)

# The dialects. Their headers name each other from the root of the repository,
# so include/yarrow is on the path of those who use them.
set(yarrowDialectLibraries support isa kernels compass npu parser_text parser)
foreach(library ${yarrowDialectLibraries})
  set_target_properties(yarrow_${library} PROPERTIES EXPORT_NAME ${library})
  install(TARGETS yarrow_${library} EXPORT YarrowDialects
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/yarrow)
endforeach()
foreach(folder support isa kernels dialects parser)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yarrow
    FILES_MATCHING PATTERN *.h PATTERN *.def PATTERN *.td
    PATTERN tblgen EXCLUDE PATTERN tec EXCLUDE PATTERN diagnostics EXCLUDE)
endforeach()
foreach(folder support isa dialects)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yarrow
    FILES_MATCHING PATTERN *.h.inc PATTERN Descriptors.inc
    PATTERN RuleClasses.inc PATTERN CMakeFiles EXCLUDE)
endforeach()

install(DIRECTORY ${CMAKE_BINARY_DIR}/support/diagnostics
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yarrow/support
  FILES_MATCHING PATTERN *.h)

# How CMake finds them. The minor version is part of the interface until 1.0.
set(yarrowCmakeDir ${CMAKE_INSTALL_LIBDIR}/cmake/Yarrow)
foreach(part Runtime Compiler Dialects Nnapi)
  install(EXPORT Yarrow${part} FILE Yarrow${part}.cmake NAMESPACE Yarrow::
    DESTINATION ${yarrowCmakeDir})
endforeach()
configure_package_config_file(cmake/YarrowConfig.cmake.in
  ${CMAKE_BINARY_DIR}/YarrowConfig.cmake INSTALL_DESTINATION ${yarrowCmakeDir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/YarrowConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/YarrowConfig.cmake
  ${CMAKE_BINARY_DIR}/YarrowConfigVersion.cmake DESTINATION ${yarrowCmakeDir})

include(PkgConfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# All of that and nothing else, so that an installation works behind it.
list(TRANSFORM yarrowDialectLibraries PREPEND yarrow_ OUTPUT_VARIABLE yarrowDialectTargets)
add_custom_target(installed DEPENDS yarrow yarrow-opt yarrow_shared yarrow_neuralnetworks
  yarrow_compiler_shared yarrow_onnxruntime yarrow_driver_x2 ${yarrowDialectTargets})

# Manual pages and completions, from the program itself, whatever machine it is for.
install(CODE "set(emulator \"${CMAKE_CROSSCOMPILING_EMULATOR}\")")
install(CODE [=[
  set(yarrow ${emulator} "$<TARGET_FILE:yarrow>")
  set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
  set(bash "${share}/bash-completion/completions")
  set(zsh "${share}/zsh/site-functions")
  file(MAKE_DIRECTORY "${bash}" "${zsh}")
  execute_process(COMMAND ${yarrow} --quiet manual "${share}/man/man1"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${yarrow} completion bash
    OUTPUT_FILE "${bash}/yarrow" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${yarrow} completion zsh
    OUTPUT_FILE "${zsh}/_yarrow" COMMAND_ERROR_IS_FATAL ANY)
]=])
