# Whether flyc makes an object here: once, with a kernel of one line.
if(CMAKE_FLY_COMPILER_WORKS)
  return()
endif()
set(folder "${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/CMakeTmp/fly")
file(WRITE "${folder}/works.fly" "@kernel(block=64, grid=1)\ndef works(a: Out[f32, (1,)]):\n    a[0] = 1.0\n")
execute_process(COMMAND "${CMAKE_FLY_COMPILER}" build "${folder}/works.fly" --emit=obj -o "${folder}/works.o" --quiet
                RESULT_VARIABLE status ERROR_VARIABLE text OUTPUT_VARIABLE text)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "enable_language(FLY): ${CMAKE_FLY_COMPILER} cannot compile a kernel:\n${text}")
endif()
message(STATUS "Check for working FLY compiler: ${CMAKE_FLY_COMPILER} - works")
set(CMAKE_FLY_COMPILER_WORKS 1 CACHE INTERNAL "")
