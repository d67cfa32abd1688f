-- Opens the file of the command line with the server, waits for what it says, and writes that to $OUT.
local out = {}
local function say(...)
  table.insert(out, table.concat({ ... }, ' '))
end

require('fly').setup { arch = 'gfx950', archs = { 'gfx942' }, flyc = os.getenv('FLYC') or 'flyc' }
vim.cmd('edit ' .. vim.fn.fnameescape(os.getenv('FILE')))
vim.wait(20000, function()
  return #vim.diagnostic.get(0) > 0
end, 20)
for _, found in ipairs(vim.diagnostic.get(0)) do
  say(found.lnum + 1 .. ':' .. found.col + 1, found.message:gsub('\n.*', ''), '')
end
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', {
  textDocument = vim.lsp.util.make_text_document_params(),
  position = { line = 2, character = 5 },
}, 20000)
for _, answer in pairs(hover or {}) do
  say((vim.inspect(answer.result and answer.result.contents.value or answer):gsub('\n', ' ')))
end
-- Of a file without errors the lenses name the architectures.
vim.cmd('edit ' .. vim.fn.fnameescape(os.getenv('GOOD')))
local seen = {}
vim.wait(20000, function()
  local lenses = vim.lsp.buf_request_sync(0, 'textDocument/codeLens', {
    textDocument = vim.lsp.util.make_text_document_params(),
  }, 20000)
  for _, answer in pairs(lenses or {}) do
    for _, lens in ipairs(answer.result or {}) do
      local arch = lens.command and lens.command.title:match('^(gfx%d+): %d+ VGPR')
      if arch then
        seen[arch] = true
      end
    end
  end
  return seen.gfx950 and seen.gfx942
end, 200)
say('registers on', seen.gfx950 and 'gfx950' or '', seen.gfx942 and 'gfx942' or '')
vim.cmd('edit fly-std:///fly/reduce.fly')
say(vim.bo.filetype, tostring(vim.bo.modifiable), vim.api.nvim_buf_get_lines(0, 0, 1, false)[1])
vim.fn.writefile(out, os.getenv('OUT'))
vim.cmd('qall!')
