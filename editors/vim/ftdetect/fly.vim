" Before FileType's own rules, which know no .fly.
autocmd BufNewFile,BufRead *.fly setfiletype fly
