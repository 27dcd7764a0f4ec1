# What `cmake --install` puts where: the program, the library with its two headers, the ways to find it, the manual, the
# licence and the examples of docs/library.md.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(cellpipe PROPERTIES PUBLIC_HEADER
                      "${CMAKE_SOURCE_DIR}/scene/cellpipe.h;${CMAKE_SOURCE_DIR}/scene/cellpipe_build.h")
target_include_directories(cellpipe INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
file(RELATIVE_PATH libraries_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
# The same run paths in the build: to those that an installation changes, CMake adds an empty one, which is the working
# folder, where a stranger may have put a library.
set_target_properties(cellpipe_program PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_program};$ORIGIN/${libraries_from_program}/cellpipe;$ORIGIN"
                      BUILD_WITH_INSTALL_RPATH ON)
set_target_properties(cellpipe PROPERTIES INSTALL_RPATH "$ORIGIN/cellpipe;$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS cellpipe_program)
install(TARGETS cellpipe EXPORT cellpipe-targets PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET cellpipe_kernel)
  set_target_properties(cellpipe_kernel PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS cellpipe_kernel DESTINATION ${CMAKE_INSTALL_LIBDIR}/cellpipe)
endif()
if(TARGET cellpipe_live)
  set_target_properties(cellpipe_live PROPERTIES INSTALL_RPATH "$ORIGIN/..;$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS cellpipe_live DESTINATION ${CMAKE_INSTALL_LIBDIR}/cellpipe)
endif()
install(FILES docs/cellpipe.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cellpipe)
install(FILES cli/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _cellpipe)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY contrib/routines DESTINATION ${CMAKE_INSTALL_DATADIR}/cellpipe)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cellpipe)
install(EXPORT cellpipe-targets NAMESPACE cellpipe:: DESTINATION ${package})
configure_package_config_file(cmake/cellpipe-config.cmake.in cellpipe-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(cellpipe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cellpipe-config.cmake ${CMAKE_BINARY_DIR}/cellpipe-config-version.cmake
        DESTINATION ${package})

file(RELATIVE_PATH include_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/cellpipe.pc.in cellpipe.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cellpipe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
