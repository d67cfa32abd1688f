# The licence of flyc, and notices of what it contains, from one table: packaging/licenses/components.json. Makes in the
# build folder, below licenses/:
#
#   LICENSE.txt               our licence
#   THIRD-PARTY-NOTICES.txt   each component that flyc or the emulated HIP contains: version, licence, full text
#   copyright                 both for Debian, in the machine-readable form (DEP-5)
#
# flyc embeds the texts (`flyc --licenses`), and cmake/Install.cmake installs them. Versions are those that find_package
# found.
set(FLY_MAINTAINERS "The flyc maintainers <maintainers@users.noreply.a-seed-8f7453a1.example>"
    CACHE STRING "Whom packages name as their maintainer")
set(FLY_COPYRIGHT "2026 The flyc authors")
set(FLY_LICENSES ${CMAKE_BINARY_DIR}/licenses)

find_package(antlr4-runtime QUIET CONFIG) # for its version: grammar/ links the library by its name

# Every line of TEXT after a space, an empty one as a dot: how fields of Debian's files continue.
function(fly_continued_lines output text)
  string(REGEX REPLACE "^\n+|\n+$" "" text "${text}")
  string(REPLACE "\n" "\n " text "${text}")
  foreach(again RANGE 1) # a match takes the line break that the next one begins with
    string(REPLACE "\n \n" "\n .\n" text "${text}")
  endforeach()
  set(${output} " ${text}" PARENT_SCOPE)
endfunction()

# TEXT for Debian, whose systems have the Apache License: the path of that instead of its text.
function(fly_without_apache output text)
  string(FIND "${text}" "                                 Apache License\n" begin)
  set(last "   See the License for the specific language governing permissions and\n   limitations under the License.\n")
  string(FIND "${text}" "${last}" end)
  if(NOT begin EQUAL -1 AND end GREATER begin)
    string(LENGTH "${last}" length)
    math(EXPR end "${end} + ${length}")
    string(SUBSTRING "${text}" 0 ${begin} before)
    string(SUBSTRING "${text}" ${end} -1 after)
    set(text "${before}The Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.\n${after}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Writes FILE below licenses/ if its text changes, so that flyc is not made again by every run of CMake.
function(fly_write_license file text)
  set(fresh ${CMAKE_BINARY_DIR}/CMakeFiles/licenses/${file})
  file(WRITE ${fresh} "${text}")
  file(MAKE_DIRECTORY ${FLY_LICENSES})
  file(COPY_FILE ${fresh} ${FLY_LICENSES}/${file} ONLY_IF_DIFFERENT)
endfunction()

function(fly_write_licenses)
  set(folder ${CMAKE_SOURCE_DIR}/packaging/licenses)
  file(READ ${CMAKE_SOURCE_DIR}/LICENSE ours)
  file(READ ${folder}/components.json table)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${CMAKE_SOURCE_DIR}/LICENSE ${folder}/components.json)
  string(REPEAT "=" 100 line)
  set(notices "Third-party notices of flyc ${PROJECT_VERSION}\n\n")
  string(APPEND notices "flyc and the emulated HIP contain code of these projects.\n")
  set(licenses_flyc "Apache-2.0-with-LLVM-exception")
  set(holders_flyc "${FLY_COPYRIGHT}")
  set(licenses_hip "${licenses_flyc}")
  set(holders_hip "${holders_flyc}")
  fly_without_apache(short "${ours}")
  fly_continued_lines(continued "${short}")
  set(paragraphs "\nLicense: Apache-2.0-with-LLVM-exception\n${continued}\n")

  string(JSON count LENGTH "${table}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    foreach(key name file version license debian part)
      string(JSON ${key} GET "${table}" ${i} ${key})
    endforeach()
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
    file(READ ${folder}/${file} text)
    set(holders "")
    string(JSON holder_count LENGTH "${table}" ${i} copyright)
    math(EXPR last_holder "${holder_count} - 1")
    foreach(h RANGE ${last_holder})
      string(JSON holder GET "${table}" ${i} copyright ${h})
      string(APPEND holders "\n           ${holder}")
    endforeach()
    string(JSON places GET "${table}" ${i} in)
    set(programs "")
    if(places MATCHES "\"flyc\"")
      string(APPEND licenses_flyc " and ${debian}")
      string(APPEND holders_flyc "${holders}")
      list(APPEND programs "flyc")
    endif()
    if(places MATCHES "\"emulated HIP\"")
      string(APPEND licenses_hip " and ${debian}")
      string(APPEND holders_hip "${holders}")
      list(APPEND programs "libfly_hip_emulated.so")
    endif()
    list(JOIN programs ", " programs)
    string(STRIP "${name} ${${version}}" title)
    string(APPEND notices "\n${line}\n${title}\n\n"
                          "licence: ${license}\npart:    ${part}\nin:      ${programs}\n${line}\n\n${text}")
    fly_without_apache(short "${text}")
    fly_continued_lines(continued "${short}")
    string(APPEND paragraphs "\nLicense: ${debian}\n${continued}\n")
  endforeach()

  string(CONCAT copyright
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
    "Upstream-Name: flyc\n"
    "Upstream-Contact: ${FLY_MAINTAINERS}\n"
    "Comment: Paths are those of the package. What a file of it is made of is joined by \"and\"; which component each\n"
    " licence belongs to is in /usr/share/doc/fly/THIRD-PARTY-NOTICES.txt.\n"
    "\nFiles: *\nCopyright: ${FLY_COPYRIGHT}\nLicense: Apache-2.0-with-LLVM-exception\n"
    "\nFiles: usr/bin/flyc\nCopyright: ${holders_flyc}\nLicense: ${licenses_flyc}\n"
    "\nFiles: usr/lib/libfly_hip_emulated.so usr/lib/hip/*\nCopyright: ${holders_hip}\nLicense: ${licenses_hip}\n"
    "${paragraphs}")
  fly_write_license(LICENSE.txt "${ours}")
  fly_write_license(THIRD-PARTY-NOTICES.txt "${notices}")
  fly_write_license(copyright "${copyright}")
endfunction()
fly_write_licenses()
