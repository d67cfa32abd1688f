# What `cmake --install` puts where, and the package that find_package(Fly) finds: in an installation at
# lib/cmake/Fly, in the build tree at the same place below it. Every path in it is relative to its own, so that the
# prefix can be moved.
include(CMakePackageConfigHelpers)

set(fly_package lib/cmake/Fly)
set(fly_exported fly_runtime fly_hip_emulated flyc)
if(TARGET fly_runtime_shared)
  list(APPEND fly_exported fly_runtime_shared)
endif()
foreach(target IN LISTS fly_exported)
  string(REGEX REPLACE "^fly_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()

install(TARGETS ${fly_exported} EXPORT FlyTargets
        RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib INCLUDES DESTINATION include)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/fly DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# The manual, with its index as README.md
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION share/doc/fly PATTERN "validate.py" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/LICENSE ${FLY_LICENSES}/THIRD-PARTY-NOTICES.txt
        DESTINATION share/doc/fly)
# flyc's kernels, which others import: Fly_KERNELS of the CMake package
install(DIRECTORY ${CMAKE_SOURCE_DIR}/kernels DESTINATION share/fly FILES_MATCHING PATTERN "*.fly" PATTERN "*.json" PATTERN "*.md")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/fly)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/kernels ${CMAKE_BINARY_DIR}/share/fly/kernels SYMBOLIC)
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/hip DESTINATION lib) # ROCm's names, links to the emulated HIP
# The Python package, where Debian's python3 finds it if the prefix is /usr. scripts/wheel.py makes a wheel of it.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/python/flyc DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN "*.py")
install(EXPORT FlyTargets NAMESPACE Fly:: DESTINATION ${fly_package})
export(EXPORT FlyTargets NAMESPACE Fly:: FILE ${CMAKE_BINARY_DIR}/${fly_package}/FlyTargets.cmake)

write_basic_package_version_file(${CMAKE_BINARY_DIR}/${fly_package}/FlyConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/${fly_package}/FlyConfigVersion.cmake DESTINATION ${fly_package})
foreach(file FlyConfig.cmake FlyKernels.cmake CMakeDetermineFLYCompiler.cmake CMakeFLYCompiler.cmake.in
             CMakeFLYInformation.cmake CMakeTestFLYCompiler.cmake)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${file} ${CMAKE_BINARY_DIR}/${fly_package}/${file} COPYONLY)
  install(FILES ${CMAKE_SOURCE_DIR}/cmake/${file} DESTINATION ${fly_package})
endforeach()

# All that an installation needs, and nothing more: `ninja distribution && cmake --install .`
add_custom_target(distribution DEPENDS ${fly_exported})
