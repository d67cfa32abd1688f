" Lines are indented as Python's are.
if exists('b:did_indent')
  finish
endif
runtime! indent/python.vim
