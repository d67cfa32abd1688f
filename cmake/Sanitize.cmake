# For development, the preset `dev`: assertions, AddressSanitizer and UndefinedBehaviorSanitizer in all C++ of ours.
#
# LLVM's libraries are without. Debian builds them with the types that `vptr` needs, so nothing of `undefined` is left
# out. Their allocators are code of both: cmake/SanitizerOptions.cpp says what that means.
#
# C is left out: tests link the runtime to programs that are compiled without sanitizers.
option(FLY_SANITIZE "Build with assertions, AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(FLY_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-O1;-UNDEBUG;-g1;-fno-omit-frame-pointer;${sanitizers}>")
  add_link_options(${sanitizers})
  add_library(fly_sanitizer_options OBJECT ${CMAKE_CURRENT_LIST_DIR}/SanitizerOptions.cpp)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:fly_sanitizer_options>)
endif()
