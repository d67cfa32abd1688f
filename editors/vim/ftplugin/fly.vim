" Options of a buffer with .fly text. Lines are formatted by `flyc fmt`: `gq` over the whole file runs it.
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
" `:make` runs the checks of the file; what it prints are lines `file:line:column: error: text`.
setlocal makeprg=flyc\ test\ --color=never\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< textwidth< '
      \ . 'formatoptions< suffixesadd< include< includeexpr< define< makeprg< errorformat<'
