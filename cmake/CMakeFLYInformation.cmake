# enable_language(FLY): a .fly file among a target's sources becomes an object with its code for all architectures
# (`flyc build --emit=obj`), and is recompiled when a module that it imports changes.
#
#   FLY_ARCHITECTURES, a variable, and with it a property of each target      gfx942 unless set; a list
#   FLY_OPTIONS, alike; the property COMPILE_OPTIONS of a source               options of flyc build, such as -DVEC=8
#   target_include_directories(t ...)                                         where imports are looked for, too
#   target_fly_headers(t)                                                     the headers: FlyKernels.cmake
#
# COMPILE_DEFINITIONS are not passed on: they are meant for C and C++, and flyc refuses a -D that no kernel takes.
set(CMAKE_INCLUDE_FLAG_FLY "-I")
set(CMAKE_DEPFILE_FLAGS_FLY "-MD -MQ <DEP_TARGET> -MF <DEP_FILE>")
set(CMAKE_FLY_DEPFILE_FORMAT gcc)
set(CMAKE_FLY_DEPENDS_USE_COMPILER TRUE)
set(CMAKE_FLY_COMPILE_OBJECT
    "<CMAKE_FLY_COMPILER> build <SOURCE> --emit=obj -o <OBJECT> --quiet -j 1 <INCLUDES> <FLAGS>")
set(CMAKE_FLY_ARCHIVE_CREATE "<CMAKE_AR> qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_FLY_ARCHIVE_APPEND "<CMAKE_AR> q <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_FLY_ARCHIVE_FINISH "<CMAKE_RANLIB> <TARGET>")
include(CMakeFindBinUtils)

set(FLY_ARCHITECTURES "gfx942" CACHE STRING "Architectures that .fly files are compiled for")
define_property(TARGET PROPERTY FLY_ARCHITECTURES INITIALIZE_FROM_VARIABLE FLY_ARCHITECTURES
                BRIEF_DOCS "Architectures that .fly files are compiled for"
                FULL_DOCS "A list, as `flyc targets` names them.")
define_property(TARGET PROPERTY FLY_OPTIONS INITIALIZE_FROM_VARIABLE FLY_OPTIONS
                BRIEF_DOCS "Options of flyc build for the .fly files of a target"
                FULL_DOCS "A list. Headers (target_fly_headers) and objects are made with the same ones.")
add_compile_options("$<$<COMPILE_LANGUAGE:FLY>:$<TARGET_PROPERTY:FLY_OPTIONS>>"
                    "$<$<COMPILE_LANGUAGE:FLY>:--arch=$<JOIN:$<TARGET_PROPERTY:FLY_ARCHITECTURES>,$<COMMA>>>")
set(CMAKE_FLY_INFORMATION_LOADED 1)
