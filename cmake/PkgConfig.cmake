# How pkg-config finds the C interfaces, wherever the prefix is moved to.
file(RELATIVE_PATH yarrowPrefixFromPc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(yarrow_add_pkg_config name yarrowPcDescription yarrowPcLibrary)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/yarrow.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
yarrow_add_pkg_config(yarrow
  "Runs neural networks compiled for Zhouyi-style NPUs, bit for bit" yarrow)
if(YARROW_COMPILER)
  yarrow_add_pkg_config(yarrow-compiler
    "Quantizes, compiles and runs neural networks for Zhouyi-style NPUs" yarrow_compiler)
endif()
