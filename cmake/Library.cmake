# How a library of ours is compiled: fly_library(), fly_united_sources().
#
# Most of the time of a C++ file here is spent in headers of LLVM and MLIR and in templates of ours, the same in each
# file. Two things keep that in bounds:
#
#   precompiled headers   of MLIR's dialects (compiler/dialect/Precompiled.h) and of LLVM's code generator
#                         (compiler/codegen/Precompiled.h)
#   FLY_UNITY             the files of a folder are compiled together, some at a time. The presets `release` and `dev`
#                         differ in it: it halves the time of a whole build, and a change of one file compiles its
#                         neighbours, too.
#
# File-local names (static, or in a namespace without name) must therefore differ within a folder, and a file must not
# leave macros behind.
option(FLY_UNITY "Compile the files of a folder together: faster from nothing, slower after a small change" OFF)
set(FLY_UNITY_BYTES 60000 CACHE STRING "Sources that are compiled together, at most; a larger file is alone")

# RESULT: with FLY_UNITY, files that include SOURCES, some at a time and never from two folders; without it, SOURCES.
# The files name what they include relative to the source folder, so two clones have equal ones: they share a ccache.
#   fly_united_sources(sources fly_isa Decoder.cpp Encoder.cpp ...)
function(fly_united_sources result name)
  if(NOT FLY_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH here ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(kept)
  set(folders)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" key)
    if(IS_ABSOLUTE "${source}" OR NOT source MATCHES "\\.cpp$")
      list(APPEND kept ${source})
      continue()
    endif()
    if(NOT key IN_LIST folders)
      list(APPEND folders ${key})
    endif()
    list(APPEND sources_${key} ${source})
  endforeach()
  foreach(key IN LISTS folders)
    set(batch 0)
    set(bytes 0)
    set(text "")
    foreach(source IN LISTS sources_${key})
      file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
      math(EXPR bytes "${bytes} + ${size}")
      if(bytes GREATER FLY_UNITY_BYTES AND text)
        fly_write_united(kept ${name}_${key}_${batch} "${text}")
        math(EXPR batch "${batch} + 1")
        set(bytes ${size})
        set(text "")
      endif()
      string(APPEND text "#include \"${here}/${source}\"\n")
    endforeach()
    fly_write_united(kept ${name}_${key}_${batch} "${text}")
  endforeach()
  set(${result} ${kept} PARENT_SCOPE)
endfunction()

function(fly_write_united list name text)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/united/${name}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
  set(${list} ${${list}} ${file} PARENT_SCOPE)
endfunction()

set(FLY_INLINE_LESS "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-mllvm -inline-threshold=25>")

# One static library of ours.
#   fly_library(fly_isa SOURCES Decoder.cpp ... LINK fly_target LLVM_COMPONENTS Support AMDGPU)
# MLIR: the files include dialect headers, so they share the precompiled header of compiler/dialect.
# ALONE: of SOURCES, what is not compiled together with others.
# HOT: users wait for what it does. Clang inlines less in the other libraries: they are a quarter smaller, and compile
# faster.
# AT_EXIT: it may be at work while the program ends, in threads of the emulated HIP: its tables are never destroyed.
function(fly_library name)
  cmake_parse_arguments(ARG "MLIR;HOT;AT_EXIT" "" "SOURCES;ALONE;LINK;LLVM_COMPONENTS" ${ARGN})
  set(alone ${ARG_ALONE})
  list(REMOVE_ITEM ARG_SOURCES ${alone})
  fly_united_sources(united ${name} ${ARG_SOURCES})
  add_library(${name} STATIC ${united} ${alone})
  if(ARG_LLVM_COMPONENTS)
    llvm_map_components_to_libnames(components ${ARG_LLVM_COMPONENTS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${components})
  if(NOT ARG_HOT)
    target_compile_options(${name} PRIVATE ${FLY_INLINE_LESS})
  endif()
  if(ARG_AT_EXIT)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-c++-static-destructors>)
  endif()
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM fly_mlir_pch)
  endif()
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(FLY_COVERAGE AND folder IN_LIST FLY_COVERAGE_FOLDERS)
    target_compile_options(${name} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
  endif()
endfunction()

# RESULT: the sources of libraries of ours, by absolute paths, for those that compile them otherwise.
#   fly_sources_of(sources fly_isa fly_target)
function(fly_sources_of result)
  set(all)
  foreach(library IN LISTS ARGN)
    get_target_property(sources ${library} SOURCES)
    get_target_property(folder ${library} SOURCE_DIR)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      list(APPEND all ${source})
    endforeach()
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()
