# `ninja package`: flyc_<version>_<machine>.deb, for Debian 12 and what is made from it. All that an installation has, with
# completions for shells and the manual page, which flyc prints itself.
set(shell ${CMAKE_BINARY_DIR}/shell)
find_program(GZIP gzip REQUIRED)
add_custom_command(
  OUTPUT ${shell}/flyc.bash ${shell}/_flyc ${shell}/flyc.fish ${shell}/flyc.1.gz
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shell}
  COMMAND flyc completion bash > ${shell}/flyc.bash
  COMMAND flyc completion zsh > ${shell}/_flyc
  COMMAND flyc completion fish > ${shell}/flyc.fish
  COMMAND flyc man > ${shell}/flyc.1
  COMMAND ${GZIP} -9nf ${shell}/flyc.1
  DEPENDS flyc
  COMMENT "Completions and the manual page")
add_custom_target(shell_files ALL DEPENDS ${shell}/flyc.bash)
add_dependencies(distribution shell_files)
install(FILES ${shell}/flyc.bash DESTINATION share/bash-completion/completions RENAME flyc)
install(FILES ${shell}/_flyc DESTINATION share/zsh/vendor-completions)
install(FILES ${shell}/flyc.fish DESTINATION share/fish/vendor_completions.d)
install(FILES ${shell}/flyc.1.gz DESTINATION share/man/man1)

configure_file(${CMAKE_SOURCE_DIR}/cmake/fly.pc.in ${CMAKE_BINARY_DIR}/lib/pkgconfig/fly.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/fly.pc DESTINATION lib/pkgconfig)

# Debian looks for it here. It has what LICENSE and THIRD-PARTY-NOTICES.txt have, which every installation gets.
install(FILES ${FLY_LICENSES}/copyright DESTINATION share/doc/flyc)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flyc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${FLY_MAINTAINERS}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Ahead-of-time compiler of .fly kernels for AMD GPUs")
set(CPACK_PACKAGE_DESCRIPTION "Compiles kernels to machine code, metadata and C headers, and runs them
without a GPU. With the runtime that programs link, HIP's entry points
on the emulator, a CMake package, and a package for Python.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE none) # packed.cmake compresses
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian/staged.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian/packed.cmake)
set(CPACK_FLY_SOURCE ${CMAKE_SOURCE_DIR})
get_target_property(soversion fly_runtime_shared SOVERSION)
set(CPACK_FLY_SHLIBS "libfly_runtime ${soversion} flyc (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "cmake, ninja-build | make, g++ | clang")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, python3, python3-numpy, python3-torch, python3-pytest")
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};flyc;ALL;/")
include(CPack)
