" Options of a buffer with .fly text. `flyc fmt FILE` formats a file.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s comments=b:#,fb:-
setlocal expandtab shiftwidth=4 softtabstop=4 textwidth=120
setlocal formatoptions-=t formatoptions+=croql
setlocal suffixesadd=.fly
setlocal include=^\\s*\\(from\\\|import\\)
setlocal includeexpr=substitute(v:fname,'\\.','/','g')
setlocal define=^\\s*\\(def\\\|class\\)
" `:make` runs the checks of the file. An error is two lines, `error[CODE]: text` and `--> file:line:column`; a failed
" check is `FAIL ...` and `file:line:column: text`.
setlocal makeprg=flyc\ test\ -q\ --color=never\ %:S
setlocal errorformat=%Eerror[%.%#]:\ %m,%Wwarning[%.%#]:\ %m,%Nnote:\ %m,%C\ %#-->\ %f:%l:%c
setlocal errorformat+=%-GFAIL\ %.%#,%E\ %\\+%f:%l:%c:\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< textwidth< '
      \ . 'formatoptions< suffixesadd< include< includeexpr< define< makeprg< errorformat<'
