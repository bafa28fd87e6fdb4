-- Runs inside Neovim: opens the file of a memory, breaks it, is told so, mends it and completes it, as a user would.
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

local function codes()
  return vim.tbl_map(function(one)
    return one.code
  end, vim.diagnostic.get(0))
end

local function shows(...)
  local expected = { ... }
  wait('the diagnostics ' .. table.concat(expected, ', '), function()
    return vim.deep_equal(codes(), expected)
  end)
  return vim.diagnostic.get(0)
end

-- What Neovim's client is offered at a place of the buffer; a popup menu needs a terminal.
local function completed(line, character)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = line - 1, character = character },
  }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/completion', params, DEADLINE)
  for _, answer in pairs(answers or {}) do
    return vim.tbl_map(function(item)
      return item.label
    end, answer.result.items)
  end
  error('no completion')
end

local function apply(title)
  vim.ui.select = function(items, options, choose)
    for index, item in ipairs(items) do
      if options.format_item(item):find(title, 1, true) then
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
end

local ok, problem = pcall(function()
  wait('the server', function()
    return attached(0)
  end)
  report.before = codes()
  vim.fn.setline(3, 'category: rul')
  vim.fn.append(3, 'tags: [pnpm]')
  local told = shows('badValue', 'misspeltKey')
  report.told = { message = told[1].message, line = told[1].lnum + 1, severity = vim.diagnostic.severity[told[1].severity] }

  vim.fn.cursor(3, 12)
  apply('Change to `Rule`')
  shows('misspeltKey')
  vim.fn.cursor(4, 2)
  apply('Rename to `keywords`')
  shows()
  report.mended = { vim.fn.getline(3), vim.fn.getline(4) }

  vim.fn.append(4, 'sta')
  report.keys = completed(5, 3)
  vim.fn.setline(5, 'status: ')
  report.values = completed(5, 8)
  vim.fn.setline(5, 'status: pending')
  shows()
  report.modified = vim.bo.modified
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
