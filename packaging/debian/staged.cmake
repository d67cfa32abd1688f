# Run by CPack when all files of the Debian package are in place: adds those that only Debian wants, and gives every file
# one time, so that the same build makes the same bytes. The time is that of the commit, unless SOURCE_DATE_EPOCH says
# another.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CPACK_FLY_SOURCE} log -1 --format=%ct OUTPUT_VARIABLE time
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT time) # not a clone: files of a source archive have the time of its commit
    file(TIMESTAMP ${CPACK_FLY_SOURCE}/CHANGELOG.md time "%s" UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${time})
endif()
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${usr}/share/doc/flyc/changelog
     "flyc (${CPACK_PACKAGE_VERSION}) bookworm; urgency=medium\n\n"
     "  * What is new is in /usr/share/doc/fly/CHANGELOG.md.\n\n"
     " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
configure_file(${CPACK_FLY_SOURCE}/packaging/debian/lintian-overrides ${usr}/share/lintian/overrides/flyc COPYONLY)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(gzip -9nf ${usr}/share/doc/flyc/changelog)
run(strip --strip-debug --enable-deterministic-archives --remove-section=.comment ${usr}/lib/libfly_runtime.a)
run(chmod -R u=rwX,go=rX ${usr})
run(find ${usr} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +)
