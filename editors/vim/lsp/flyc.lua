-- The language server for Neovim 0.11 or later: `vim.lsp.enable('flyc')`. `require('fly').setup()` calls that, too.
return {
  cmd = { 'flyc', 'lsp' },
  filetypes = { 'fly' },
  root_markers = { '.git' },
}
