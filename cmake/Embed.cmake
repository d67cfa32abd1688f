# Turns files into rows of a table, so that the program needs no files of its own: writes OUTPUT with
# {"<path below FOLDER, without its extension>", R"text(<content>)text"}, for each file below FOLDER that matches PATTERN.
file(GLOB_RECURSE paths RELATIVE ${FOLDER} ${FOLDER}/${PATTERN})
list(SORT paths)
set(rows "")
foreach(path IN LISTS paths)
  string(REGEX REPLACE "\\.[a-z]+$" "" name ${path})
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "{\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${rows}")
