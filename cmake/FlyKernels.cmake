# Kernels in a CMake project. Everything is checked when CMake runs: a name that is wrong is an error here, not a
# failure in the middle of a build.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.31)

# The architectures that flyc supports, queried once.
function(_fly_check_architectures caller)
  get_property(known GLOBAL PROPERTY FLY_KNOWN_ARCHITECTURES)
  if(NOT known)
    get_target_property(flyc Fly::flyc LOCATION)
    execute_process(COMMAND ${flyc} targets OUTPUT_VARIABLE text RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${caller}: `${flyc} targets` failed: ${status}")
    endif()
    string(REGEX REPLACE "\nread only.*" "" text "${text}") # flyc compiles for those before it
    string(REGEX MATCHALL "gfx[0-9a-f]+" known "${text}")
    set_property(GLOBAL PROPERTY FLY_KNOWN_ARCHITECTURES "${known}")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "${caller}: ARCHS is missing; flyc knows ${known}")
  endif()
  foreach(arch IN LISTS ARGN)
    if(NOT arch IN_LIST known)
      message(FATAL_ERROR "${caller}: unknown architecture `${arch}`; flyc knows ${known}")
    endif()
  endforeach()
endfunction()

# `vec-add.fly` is the module `vec_add`: so are its files called, and so do its C functions begin.
function(_fly_module_name source result)
  get_filename_component(name "${source}" NAME_WLE)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "${name}")
  if(name MATCHES "^[0-9]" OR name STREQUAL "")
    set(name "m${name}")
  endif()
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

# The options of `flyc build` without those that concern artifacts, which `flyc test` does not have.
function(_fly_test_options result)
  set(options)
  set(is_value FALSE)
  foreach(word IN LISTS ARGN)
    if(is_value)
      set(is_value FALSE)
    elseif(word MATCHES "^(--(emit|host|jobs|output|print-after|stop-after)|-[jo]|-M[FQT])$")
      set(is_value TRUE)
    elseif(NOT word MATCHES "^(--(emit|host|jobs|output|print-after|stop-after)=|--fix$|-[joM])")
      list(APPEND options "${word}")
    endif()
  endforeach()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

# `text` between the quotes of JSON, and no list of CMake.
function(_fly_json_text text result)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE ";" "\\u003b" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

# fly_compile_commands.json in the binary folder: how each source is built, for the language server (docs/cmake.md).
# `options`: JSON, the elements of an array; it may have generator expressions.
function(_fly_compile_command source archs options)
  get_property(entries GLOBAL PROPERTY FLY_COMPILE_COMMANDS)
  if(NOT entries)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _fly_write_compile_commands)
  endif()
  set(names)
  foreach(arch IN LISTS archs)
    list(APPEND names "\"${arch}\"")
  endforeach()
  list(JOIN names ", " names)
  _fly_json_text("${source}" source)
  _fly_json_text("${CMAKE_CURRENT_SOURCE_DIR}" folder)
  set_property(GLOBAL APPEND_STRING PROPERTY FLY_COMPILE_COMMANDS
    "  {\"directory\": ${folder}, \"file\": ${source}, \"archs\": [${names}],\n   \"options\": [${options}]},\n")
endfunction()

function(_fly_write_compile_commands)
  get_property(entries GLOBAL PROPERTY FLY_COMPILE_COMMANDS)
  string(REGEX REPLACE ",\n$" "\n" entries "${entries}")
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/fly_compile_commands.json" CONTENT "[\n${entries}]\n")
endfunction()

# Runs flyc (ARGN) for <outputs>, and the headers <base>.h and <base>.hpp on the side. flyc leaves a header alone that would
# not change, so it may be older than its source. Ninja knows: the headers are outputs of the command. Make would run it
# each time, so there the headers have a rule of their own after the first output, which does nothing unless somebody has
# removed them.
function(_fly_header_command base outputs comment depends aware)
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    add_custom_command(OUTPUT ${outputs} COMMAND ${ARGN} DEPENDS ${depends} DEPFILE "${base}.d" COMMENT "${comment}"
                       ${aware} COMMAND_EXPAND_LISTS VERBATIM)
    list(GET outputs 0 first)
    add_custom_command(OUTPUT "${base}.h" "${base}.hpp" DEPENDS "${first}"
                       COMMAND sh -c "test -f \"$0.h\" -a -f \"$0.hpp\" || (echo \"$1\" && shift && exec \"$@\")"
                               "${base}" "${comment}" ${ARGN}
                       COMMAND_EXPAND_LISTS VERBATIM COMMENT "")
  else()
    add_custom_command(OUTPUT ${outputs} "${base}.h" "${base}.hpp" COMMAND ${ARGN} DEPENDS ${depends} DEPFILE "${base}.d"
                       COMMENT "${comment}" ${aware} COMMAND_EXPAND_LISTS VERBATIM)
  endif()
endfunction()

# A source in several targets is checked once before any of them compiles it, so that a mistake in it is reported once.
# Nothing is checked for a source in one target. The rest are options of `flyc build`.
function(_fly_check_shared_source target source)
  string(SHA1 key "${source}")
  get_property(first GLOBAL PROPERTY FLY_FIRST_TARGET_${key})
  if(NOT first)
    set_property(GLOBAL PROPERTY FLY_FIRST_TARGET_${key} "${target}")
    return()
  endif()
  set(check "fly_check_${key}")
  if(NOT TARGET ${check})
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${check}.fly")
    add_custom_command(OUTPUT "${stamp}" DEPFILE "${stamp}.d" DEPENDS "${source}" "$<TARGET_FILE:Fly::flyc>" VERBATIM
                       COMMAND "$<TARGET_FILE:Fly::flyc>" build "${source}" --emit=fly -o "${stamp}" --quiet
                               -MD -MF "${stamp}.d" -MQ "${stamp}" ${ARGN}
                       COMMENT "Checking ${source}" COMMAND_EXPAND_LISTS)
    add_custom_target(${check} DEPENDS "${stamp}")
    add_dependencies(${first} ${check})
  endif()
  add_dependencies(${target} ${check})
endfunction()

# The shared library <target>_tvm_ffi, of the generated sources and the objects with the code. libtvm_ffi, which it calls,
# is not linked: whoever loads it has loaded that one for all.
function(_fly_tvm_ffi_library target folder sources objects modules)
  set(library ${target}_tvm_ffi)
  add_library(${library} SHARED ${sources} ${objects})
  add_dependencies(${library} ${target}) # flyc writes the sources once
  set_target_properties(${library} PROPERTIES C_VISIBILITY_PRESET hidden LINKER_LANGUAGE C)
  target_include_directories(${library} PRIVATE "${folder}")
  list(TRANSFORM modules PREPEND FLY_EXTERN_CODE_)
  target_compile_definitions(${library} PRIVATE ${modules})
  target_link_libraries(${library} PRIVATE Fly::runtime_shared)
endfunction()

# add_fly_kernel(<target> SOURCES a.fly b.fly ARCHS gfx942 gfx1201
#                [DEFINES VEC=8 T=f16] [INCLUDE_DIRECTORIES dir ...] [LINK_BITCODE file.bc ...] [OPTIONS -W perf ...]
#                [JOBS n] [OUTPUT_DIRECTORY dir] [CHECKS] [VALIDATE] [TVM_FFI])
#
# A static library with the code of all SOURCES for all ARCHS. Targets that link it can `#include "a.h"`, or "a.hpp"
# with spans, and get Fly::runtime. Next to the headers are a.json and a.<arch>.hsaco: in OUTPUT_DIRECTORY, or
# <target>.fly in the binary folder. A build is redone when the source, a module that it imports, linked bitcode or flyc
# itself has changed. JOBS: threads of one flyc, 1 by default because the build tool runs several; where CMake can hand
# on its jobserver (3.28), as many as that gives. CHECKS: a test for each source and architecture that runs its @check
# functions, with those of OPTIONS that are not about artifacts. VALIDATE: the build runs them beside the reference
# interpreter (`flyc build --validate`), and fails if machine code computes something else. TVM_FFI: also the shared
# library <target>_tvm_ffi, whose functions Apache TVM's FFI calls (docs/tvm-ffi.md).
function(add_fly_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CHECKS;VALIDATE;TVM_FFI" "JOBS;OUTPUT_DIRECTORY"
                        "SOURCES;ARCHS;DEFINES;INCLUDE_DIRECTORIES;LINK_BITCODE;OPTIONS")
  set(caller "add_fly_kernel(${target})")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}: unknown argument `${arg_UNPARSED_ARGUMENTS}`; after the target come SOURCES, ARCHS, "
                        "DEFINES, INCLUDE_DIRECTORIES, LINK_BITCODE, OPTIONS, JOBS, OUTPUT_DIRECTORY, CHECKS, VALIDATE, TVM_FFI")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${caller}: SOURCES is missing")
  endif()
  _fly_check_architectures("${caller}" ${arg_ARCHS})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(emit hsaco,json,obj,cxx-header,header)
  if(arg_TVM_FFI)
    if(NOT C IN_LIST languages)
      message(FATAL_ERROR "${caller}: TVM_FFI compiles a C source; add C to the LANGUAGES of project()")
    endif()
    if(NOT TARGET Fly::runtime_shared)
      message(FATAL_ERROR "${caller}: TVM_FFI needs the target Fly::runtime_shared, which this installation lacks")
    endif()
    string(APPEND emit ",tvm-ffi")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.fly")
  if(arg_OUTPUT_DIRECTORY)
    get_filename_component(folder "${arg_OUTPUT_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()

  list(JOIN arg_ARCHS "," archs)
  set(options ${arg_OPTIONS})
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND options -D "${define}")
  endforeach()
  foreach(include IN LISTS arg_INCLUDE_DIRECTORIES)
    get_filename_component(include "${include}" ABSOLUTE)
    list(APPEND options -I "${include}")
  endforeach()
  foreach(bitcode IN LISTS arg_LINK_BITCODE)
    get_filename_component(bitcode "${bitcode}" ABSOLUTE)
    list(APPEND options --link "${bitcode}")
  endforeach()
  set(listed)
  foreach(option IN LISTS options)
    _fly_json_text("${option}" option)
    list(APPEND listed "${option}")
  endforeach()
  list(JOIN listed ", " listed)
  _fly_test_options(test_options ${options})
  set(loudness --quiet)
  if(arg_VALIDATE)
    set(loudness --validate) # which says what it did not compare
  endif()
  set(jobs -j 1)
  set(aware)
  if(arg_JOBS)
    set(jobs -j ${arg_JOBS})
  elseif(CMAKE_VERSION VERSION_GREATER_EQUAL 3.28 AND CMAKE_GENERATOR MATCHES "Makefiles")
    set(jobs)
    set(aware JOB_SERVER_AWARE TRUE)
  endif()

  set(modules)
  set(objects)
  set(headers)
  set(sources)
  set(ffi_sources)
  foreach(given IN LISTS arg_SOURCES)
    get_filename_component(source "${given}" ABSOLUTE)
    if(IS_DIRECTORY "${source}")
      message(FATAL_ERROR "${caller}: source `${given}` is a folder")
    endif()
    get_source_file_property(generated "${source}" GENERATED)
    if(NOT EXISTS "${source}" AND NOT generated)
      message(FATAL_ERROR "${caller}: there is no file `${given}` in ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    if(NOT given MATCHES "\\.fly$")
      message(FATAL_ERROR "${caller}: source `${given}` is not a .fly file")
    endif()
    _fly_module_name("${source}" module)
    if(module IN_LIST modules)
      message(FATAL_ERROR "${caller}: two sources would make the header `${module}.h`, the second one is `${given}`; "
                          "rename one, or give each a target of its own")
    endif()
    list(APPEND modules ${module})
    list(APPEND sources "${source}")
    _fly_compile_command("${source}" "${arg_ARCHS}" "${listed}")
    set(base "${folder}/${module}")
    set(depends "${source}" ${arg_LINK_BITCODE} "$<TARGET_FILE:Fly::flyc>")
    set(outputs "${base}.json" "${base}.o")
    if(arg_TVM_FFI)
      list(APPEND outputs "${base}.tvm_ffi.c")
      list(APPEND ffi_sources "${base}.tvm_ffi.c")
    endif()
    _fly_header_command("${base}" "${outputs}" "Compiling ${given} for ${archs}" "${depends}" "${aware}"
      "$<TARGET_FILE:Fly::flyc>" build "${source}" --arch ${archs} --emit=${emit} -o "${folder}" ${loudness} ${jobs}
      -MD -MF "${base}.d" -MQ "${base}.json" ${options})
    list(APPEND objects "${base}.o")
    list(APPEND headers "${base}.h")
    if(arg_CHECKS)
      foreach(arch IN LISTS arg_ARCHS)
        add_test(NAME ${target}.${module}.${arch}
                 COMMAND $<TARGET_FILE:Fly::flyc> test "${source}" --arch ${arch} --quiet ${test_options})
        # A source without a check is not a failure: ctest shows the test as skipped, with flyc's words.
        set_tests_properties(${target}.${module}.${arch} PROPERTIES SKIP_REGULAR_EXPRESSION "error\\[FLY0934\\]")
      endforeach()
    endif()
  endforeach()

  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} STATIC ${objects} ${headers})
  foreach(source IN LISTS sources)
    _fly_check_shared_source(${target} "${source}" --arch ${archs} ${options})
  endforeach()
  set(language C)
  if(CXX IN_LIST languages)
    set(language CXX)
  endif()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${folder}>")
  target_link_libraries(${target} INTERFACE Fly::runtime)
  foreach(module IN LISTS modules)
    target_compile_definitions(${target} INTERFACE FLY_EXTERN_CODE_${module})
    # A program that links two targets with a header of the same name would include one of them: CMake refuses it.
    set_property(TARGET ${target} PROPERTY INTERFACE_FLY_HEADER_${module} "${folder}")
    set_property(TARGET ${target} APPEND PROPERTY COMPATIBLE_INTERFACE_STRING FLY_HEADER_${module})
  endforeach()
  if(arg_TVM_FFI)
    _fly_tvm_ffi_library(${target} "${folder}" "${ffi_sources}" "${objects}" "${modules}")
  endif()
endfunction()

# add_fly_test(NAME <name> COMMAND <program> [argument ...] ARCHS gfx942 gfx1201 [DEVICES n])
#
# For each architecture a test <name>.<arch> that runs a program of the host on the emulator: one that uses generated
# headers, or HIP alone. DEVICES: how many devices it sees, 1 to 16; 1 by default.
function(add_fly_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;DEVICES" "COMMAND;ARCHS")
  set(caller "add_fly_test(${arg_NAME})")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}: unknown argument `${arg_UNPARSED_ARGUMENTS}`; there are NAME, COMMAND, ARCHS, "
                        "DEVICES")
  endif()
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "${caller}: NAME and COMMAND are needed")
  endif()
  if(NOT DEFINED arg_DEVICES)
    set(arg_DEVICES 1)
  elseif(NOT arg_DEVICES MATCHES "^([1-9]|1[0-6])$")
    message(FATAL_ERROR "${caller}: DEVICES is a number from 1 to 16, not `${arg_DEVICES}`")
  endif()
  _fly_check_architectures("${caller}" ${arg_ARCHS})
  foreach(arch IN LISTS arg_ARCHS)
    add_test(NAME ${arg_NAME}.${arch} COMMAND ${arg_COMMAND})
    set_tests_properties(${arg_NAME}.${arch} PROPERTIES ENVIRONMENT
      "FLY_DEVICE=emulator;FLY_HIP_LIBRARY=$<TARGET_FILE:Fly::hip_emulated>;FLY_EMULATE=${arch}:${arg_DEVICES}")
    # For programs that link HIP itself; CMake 3.22.
    set_tests_properties(${arg_NAME}.${arch} PROPERTIES ENVIRONMENT_MODIFICATION
      "LD_LIBRARY_PATH=path_list_prepend:$<TARGET_FILE_DIR:Fly::hip_emulated>/hip")
  endforeach()
endfunction()

# target_fly_headers(<target>)
#
# For a target with .fly files among its sources (enable_language(FLY)): makes their headers, puts them on the include
# path of the target and of those that link it, and orders them before every source that may include them. CMake cannot
# order the objects of a target, so flyc runs once more for each header; its cache has the code by then, or the other
# way round. Both runs need the same options: FLY_OPTIONS of the target and COMPILE_OPTIONS of the source.
function(target_fly_headers target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(archs ${target} FLY_ARCHITECTURES)
  set(archs_list "${archs}")
  list(JOIN archs "," archs)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.fly")
  set(options "$<TARGET_PROPERTY:${target},FLY_OPTIONS>")
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(found FALSE)
  foreach(given IN LISTS sources)
    if(NOT given MATCHES "\\.fly$")
      continue()
    endif()
    set(found TRUE)
    get_filename_component(source "${given}" ABSOLUTE)
    _fly_module_name("${source}" module)
    get_source_file_property(own "${source}" COMPILE_OPTIONS)
    if(NOT own)
      set(own)
    endif()
    set(base "${folder}/${module}")
    set(depends "${source}" ${CMAKE_FLY_COMPILER})
    set(all --arch=${archs} ${options} ${own} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>")
    set(words "${options};${own};$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>")
    set(words "$<FILTER:${words},EXCLUDE,^$>")
    _fly_compile_command("${source}" "${archs_list}" "$<$<BOOL:${words}>:\"$<JOIN:${words},\"$<COMMA> \">\">")
    _fly_header_command("${base}" "${base}.json" "Making ${module}.h" "${depends}" ""
      ${CMAKE_FLY_COMPILER} build "${source}" --emit=cxx-header,header,json -o "${folder}" --quiet
      -MD -MF "${base}.d" -MQ "${base}.json" ${all})
    _fly_check_shared_source(${target} "${source}" ${all})
    target_sources(${target} PRIVATE "${base}.h")
    target_compile_definitions(${target} PUBLIC FLY_EXTERN_CODE_${module})
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "target_fly_headers(${target}): the target has no .fly files")
  endif()
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
endfunction()

cmake_policy(POP)
