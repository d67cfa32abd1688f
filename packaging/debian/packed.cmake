# Run by CPack after it has made the Debian package, which it does not compress: packs it again. What CPack cannot say:
# the trigger by which dpkg runs ldconfig (CPack writes scripts that call it), which package has the shared runtime, and
# the size without counting what links point to. dpkg-deb sorts the files; their time is the one that staged.cmake set.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(tree ${package}.tree)
  file(REMOVE_RECURSE ${tree})
  run(dpkg-deb --raw-extract ${package} ${tree})
  file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
  file(WRITE ${tree}/DEBIAN/triggers "activate-noawait ldconfig\n")
  file(WRITE ${tree}/DEBIAN/shlibs "${CPACK_FLY_SHLIBS}\n")
  execute_process(COMMAND du --summarize --block-size=1024 --apparent-size ${tree}/usr OUTPUT_VARIABLE size
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[0-9]+" size "${size}")
  file(READ ${tree}/DEBIAN/control control)
  string(REGEX REPLACE "\nInstalled-Size: [0-9]+" "\nInstalled-Size: ${size}" control "${control}")
  string(REGEX REPLACE "\n\n+$" "\n" control "${control}")
  file(WRITE ${tree}/DEBIAN/control "${control}")
  run(chmod -R u=rwX,go=rX ${tree})
  run(find ${tree} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +)
  run(dpkg-deb --root-owner-group -Zgzip -z6 --build ${tree} ${package})
  file(REMOVE_RECURSE ${tree})
endforeach()
