# find_package(Fly): the same file in the build tree of flyc and in an installation, which may be moved.
#
#   Fly::flyc             the compiler
#   Fly::runtime          the runtime that generated headers need, static; Fly::runtime_shared where it was built
#   Fly::hip_emulated     HIP's entry points over the emulator, for machines without a GPU
#   Fly_KERNELS           the folder of flyc's own kernels, for INCLUDE_DIRECTORIES of kernels that use them
#   add_fly_kernel(), add_fly_test()      FlyKernels.cmake
#   enable_language(FLY)                  .fly files as sources of any target: CMakeFLYInformation.cmake
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/FlyTargets.cmake")
get_filename_component(Fly_KERNELS "${CMAKE_CURRENT_LIST_DIR}/../../../share/fly/kernels" ABSOLUTE)
# So that a program runs on the emulator without a variable, where it was built (runtime.h).
set_property(TARGET Fly::runtime APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
  "$<$<COMPILE_LANGUAGE:C,CXX>:FLY_EMULATED_HIP=\"$<TARGET_FILE:Fly::hip_emulated>\">")
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/FlyKernels.cmake")
