-- flyc in Neovim, 0.7 or later: the language server, and Python's tree-sitter parser for .fly.
--
--     require('fly').setup { arch = 'gfx950' }
--
-- Colours come from syntax/fly.vim: tree-sitter reads .fly as Python, and has an error at `gemm[T=f16]`. Its tree
-- serves folds and text objects (`treesitter = true` registers it).
local M = {}

M.options = {
  flyc = 'flyc', -- the compiler: a name on the path, or a file
  arch = nil, -- the architecture whose values and errors are shown; nil: flyc's own choice
  archs = nil, -- the architectures whose registers stand above kernels, beside that one: { 'gfx942', 'gfx1201' }
  args = {}, -- more options of `flyc lsp`, such as { '-I', 'kernels' }
  inlay_hints = true, -- where Neovim has them (0.10)
  treesitter = false,
  on_attach = nil, -- function(client, buffer)
}

local function command()
  local words = { M.options.flyc, 'lsp' }
  if M.options.arch then
    vim.list_extend(words, { '--arch', M.options.arch })
  end
  return vim.list_extend(words, M.options.args)
end

local function initial()
  return M.options.archs and { archs = M.options.archs } or nil
end

local function attached(client, buffer)
  if M.options.inlay_hints and vim.lsp.inlay_hint and client.server_capabilities.inlayHintProvider then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if M.options.on_attach then
    M.options.on_attach(client, buffer)
  end
end

local function root_of(file)
  if vim.fs and vim.fs.find then
    local git = vim.fs.find('.git', { path = vim.fs.dirname(file), upward = true })[1]
    return git and vim.fs.dirname(git) or vim.fs.dirname(file)
  end
  local git = vim.fn.finddir('.git', vim.fn.escape(vim.fn.fnamemodify(file, ':p:h'), ' ,;') .. ';')
  return vim.fn.fnamemodify(git ~= '' and git or file, git ~= '' and ':p:h:h' or ':p:h')
end

local started = {} -- before 0.8: the client of each root

local function start(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file:match('^fly%-%a+://') then
    return
  end
  local root = root_of(file)
  local config = { name = 'flyc', cmd = command(), root_dir = root, on_attach = attached, init_options = initial() }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  config.on_exit = function()
    started[root] = nil
  end
  started[root] = started[root] or vim.lsp.start_client(config)
  if started[root] then
    vim.lsp.buf_attach_client(buffer, started[root])
  end
end

-- Documents that only the server has: modules of the embedded library, pages of diagnostics.
local function read_document(event)
  local client
  for _, candidate in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    client = candidate.name == 'flyc' and candidate or client
  end
  local answer = client
    and client.request_sync('fly/text', { textDocument = { uri = event.match } }, 5000, event.buf)
  if not (answer and answer.result) then
    vim.notify('fly: flyc does not know ' .. event.match, vim.log.levels.WARN)
    return
  end
  vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, vim.split(answer.result.text, '\n'))
  vim.bo[event.buf].buftype = 'nofile'
  vim.bo[event.buf].modifiable = false
  vim.bo[event.buf].filetype = event.match:match('%.md$') and 'markdown' or 'fly'
end

function M.setup(options)
  M.options = vim.tbl_extend('force', M.options, options or {})
  if M.options.treesitter and vim.treesitter.language and vim.treesitter.language.register then
    vim.treesitter.language.register('python', 'fly')
  end
  if vim.fn.executable(M.options.flyc) == 0 then
    local text = 'fly: there is no program `' .. M.options.flyc .. '`; set `flyc` in require("fly").setup'
    vim.notify(text, vim.log.levels.WARN)
    return
  end
  local group = vim.api.nvim_create_augroup('fly', { clear = true })
  vim.api.nvim_create_autocmd('BufReadCmd', {
    group = group,
    pattern = { 'fly-std://*', 'fly-explain://*' },
    callback = read_document,
  })
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config('flyc', {
      cmd = command(),
      filetypes = { 'fly' },
      root_markers = { '.git' },
      on_attach = attached,
      init_options = initial(),
    })
    vim.lsp.enable('flyc')
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = 'fly',
    callback = function(event)
      start(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == 'fly' then
      start(buffer)
    end
  end
end

return M
