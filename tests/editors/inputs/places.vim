" Runs the checks of the buffer's file, and prints the places that Vim finds in the messages.
silent! make!
let found = filter(getqflist(), 'v:val.valid')
call writefile(map(found, {_, e -> fnamemodify(bufname(e.bufnr), ':t') . ':' . e.lnum . ':' . e.col . ' ' . e.type . ' ' . e.text}), $OUT)
qall!
