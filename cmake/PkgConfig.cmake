# How pkg-config finds the C interface, wherever the prefix is moved to.
file(RELATIVE_PATH yarrowPrefixFromPc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/yarrow.pc.in ${CMAKE_BINARY_DIR}/yarrow.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/yarrow.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
