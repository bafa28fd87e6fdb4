-- Runs inside Neovim: opens a text that refers to lines of a file, and does what a user would with its references.
-- Writes what it saw as JSON to $DRIVE_REPORT, and quits once $DRIVE_GO exists. Speaks nothing but Neovim's own LSP.

local DEADLINE = 25000 -- milliseconds; only ever reached by a failure
local NEWER = vim.fn.has('nvim-0.11') == 1

local report = {}

local function wait(what, condition)
  if not vim.wait(DEADLINE, condition, 20) then
    error('gave up waiting for ' .. what)
  end
end

local function attached(bufnr)
  if NEWER then
    return #vim.lsp.get_clients({ bufnr = bufnr }) > 0
  end
  return next(vim.lsp.buf_get_clients(bufnr)) ~= nil
end

local function codes(bufnr)
  return vim.tbl_map(function(one)
    return one.code
  end, vim.diagnostic.get(bufnr))
end

local function shows(bufnr, code)
  wait('the diagnostic ' .. code, function()
    return vim.deep_equal(codes(bufnr), { code })
  end)
  return vim.diagnostic.get(bufnr)[1]
end

local function overwrite(path, lines)
  local file = io.open(path, 'w')
  file:write(table.concat(lines, '\n') .. '\n')
  file:close()
end

local function hover()
  vim.lsp.buf.hover()
  local text
  wait('the hover', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), '\n')
        return true
      end
    end
  end)
  return text
end

local function apply(title)
  -- Neovim asks which action to take through `vim.ui.select`; a user picks the one with this title.
  local offered = {}
  vim.ui.select = function(items, options, choose)
    for index, item in ipairs(items) do
      local shown = options.format_item(item)
      table.insert(offered, shown)
      if shown:find(title, 1, true) then
        choose(item, index)
        return
      end
    end
    error('not offered: ' .. title)
  end
  local before = vim.api.nvim_buf_get_changedtick(0)
  vim.lsp.buf.code_action()
  wait('the action ' .. title, function()
    return vim.api.nvim_buf_get_changedtick(0) ~= before
  end)
  return offered
end

local ok, problem = pcall(function()
  local notes = vim.api.nvim_get_current_buf()
  wait('the server', function()
    return attached(notes)
  end)
  local cited = vim.fn.getline(3)
  vim.fn.cursor(3, 12)

  vim.lsp.buf.definition()
  wait('the jump', function()
    return vim.fn.expand('%:t') == 'shapes.py'
  end)
  report.jumped = { vim.fn.expand('%:p'), vim.fn.line('.') }
  local shapes = vim.fn.expand('%:p')
  vim.cmd('buffer ' .. notes)
  vim.fn.cursor(3, 12)
  report.hover = hover()
  report.before = codes(notes)

  -- Somebody else changes the file on the disk; the buffer of it that the jump opened goes first.
  vim.cmd('bdelete! ' .. vim.fn.bufnr(shapes))
  local lines = vim.fn.readfile(shapes)
  overwrite(shapes, vim.list_extend({ '# one', '# two' }, lines))
  local told = shows(notes, 'relocated')
  report.told = { message = told.message, line = told.lnum + 1, severity = vim.diagnostic.severity[told.severity] }
  vim.fn.cursor(3, 12)
  report.offered = apply('Relocate to line')
  report.relocated = vim.fn.getline(3)
  wait('the diagnostic to go', function()
    return #codes(notes) == 0
  end)

  -- An unsaved edit of the file, in Neovim itself, and back.
  vim.cmd('edit ' .. vim.fn.fnameescape(shapes))
  local opened = vim.api.nvim_get_current_buf()
  wait('the server in the second buffer', function()
    return attached(opened)
  end)
  vim.fn.setline(4, '    """A shape that is edited."""')
  report.unsaved = shows(notes, 'changed').message
  vim.cmd('silent undo')
  wait('the edit to be undone', function()
    return #codes(notes) == 0
  end)
  report.cited = cited

  -- All that moved, in the words of the guide.
  vim.cmd('buffer ' .. notes)
  vim.cmd('bdelete! ' .. opened)
  overwrite(shapes, vim.list_extend({ '# zero' }, vim.fn.readfile(shapes)))
  shows(notes, 'relocated')
  report.chosen = 0
  report.applies = vim.fn.has('nvim-0.8') == 1
  vim.ui.select = function(items, _, choose)
    report.chosen = report.chosen + 1
    choose(items[1], 1)
  end
  local before = vim.api.nvim_buf_get_changedtick(notes)
  vim.lsp.buf.code_action({ context = { only = { 'source.fixAll' } }, apply = true })
  wait('everything to be relocated', function()
    return vim.api.nvim_buf_get_changedtick(notes) ~= before
  end)
  report.everything = vim.fn.getline(3)
end)
report.error = not ok and tostring(problem) or nil

local file = io.open(vim.env.DRIVE_REPORT .. '.part', 'w')
file:write(vim.fn.json_encode(report))
file:close()
os.rename(vim.env.DRIVE_REPORT .. '.part', vim.env.DRIVE_REPORT)

vim.wait(DEADLINE, function()
  return vim.fn.filereadable(vim.env.DRIVE_GO) == 1
end, 20)
vim.cmd('qall!')
