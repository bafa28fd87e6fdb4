-- Runs inside Neovim: remembers, shows the prompt block, searches, opens the hit, verifies references; then writes what it saw as JSON to
-- $DRIVE_REPORT, and quits once $DRIVE_GO exists. Nothing here knows how the commands do what they do.

local told = {}
vim.notify = function(message)
  table.insert(told, message)
end

local DEADLINE = 25000 -- milliseconds; only ever reached by a failure

local function wait(what, condition)
  if not vim.wait(DEADLINE, condition, 20) then
    error('gave up waiting for ' .. what .. '; told: ' .. vim.inspect(told))
  end
end

local function attached()
  local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return clients[1] ~= nil and clients[1].initialized ~= nil
end

local function told_of(pattern)
  for _, message in ipairs(told) do
    if message:find(pattern) then
      return message
    end
  end
end

-- Search until there is something: the index, and what was typed just now, take their moment.
local function search(words)
  vim.fn.setqflist({})
  local function found()
    return #vim.fn.getqflist() > 0
  end
  wait('a hit for ' .. words, function()
    local before = #told
    vim.cmd('VademecumSearch ' .. words)
    wait('an answer for ' .. words, function()
      return found() or #told > before
    end)
    return found()
  end)
end

local report = { version = vim.fn.has('nvim-0.11') == 1 and '0.11' or 'older' }

local ok, problem = pcall(function()
  wait('the server', attached)

  vim.cmd('VademecumRemember Use pnpm, never npm')
  wait('the note to be kept', function()
    return told_of('remembered') ~= nil
  end)
  report.remembered = told_of('remembered')

  vim.cmd('2,2VademecumRemember!')
  wait('the selected line to be kept', function()
    return told_of('A round shape') ~= nil
  end)
  report.selection = told_of('A round shape')

  local source = vim.api.nvim_get_current_win()
  vim.cmd('VademecumPrompt chat-1')
  wait('the prompt block', function()
    return vim.api.nvim_get_current_win() ~= source and vim.bo.buftype == 'nofile' and not vim.bo.modifiable
  end)
  report.prompt = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
  vim.cmd('close')

  vim.cmd('VademecumMemories zeppelin')
  wait('that there is none', function()
    return told_of('nothing is remembered about') ~= nil
  end)
  local code = vim.api.nvim_get_current_buf()
  vim.cmd('VademecumMemories pnpm')
  wait('the memories', function()
    return #vim.fn.getqflist() > 0
  end)
  report.memories = vim.tbl_map(function(item)
    return item.text
  end, vim.fn.getqflist())
  vim.cmd('cclose')
  vim.cmd('cfirst')
  report.memory = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
  vim.cmd('buffer ' .. code)

  search('circle area')
  report.hits = #vim.fn.getqflist()
  vim.cmd('cclose')
  vim.cmd('cfirst')
  report.opened = vim.fn.expand('%:p')
  report.line = vim.api.nvim_get_current_line()
  report.word = vim.fn.expand('<cword>')

  vim.fn.append(vim.fn.line('$'), { '', 'def measure_lighthouse():', '    return 1' })
  vim.cmd('VademecumSearch circle area') -- whose answer comes first, and is not wanted any more
  search('lighthouse')
  report.unsaved = vim.fn.getqflist()[1].text
  vim.cmd('cclose')

  -- One reference as it is, then a second one that is not.
  local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
  local span = { start = { line = 0, character = 0 }, ['end'] = { line = 1, character = 0 } }
  local ask = { uri = vim.uri_from_bufnr(0), range = span }
  local cited
  local function keep(_, citation)
    cited = citation.reference
  end
  if report.version == '0.11' then
    client:request('evidence/cite', ask, keep)
  else
    client.request('evidence/cite', ask, keep)
  end
  wait('a reference', function()
    return cited ~= nil
  end)
  vim.cmd('VademecumVerify see ' .. cited .. ', it says so')
  wait('the verdict', function()
    return told_of('1 reference: ') ~= nil
  end)
  report.valid = told_of('1 reference: ')
  vim.cmd('VademecumVerify ' .. cited .. ' ' .. cited:gsub('@%x+', '@0123456789abcdef'))
  wait('the verdicts', function()
    return told_of('2 references: ') ~= nil
  end)
  report.changed = told_of('2 references: ')
  report.wrong = vim.tbl_map(function(item)
    return item.text:match('^%w+')
  end, vim.fn.getqflist())
  vim.cmd('cclose')

  -- What there is without our module: symbols, and what is offered on a selection.
  local function sync(method, params)
    if report.version == '0.11' then
      return client:request_sync(method, params, DEADLINE, 0).result
    end
    return client.request_sync(method, params, DEADLINE, 0).result
  end
  report.symbols = vim.tbl_map(function(one)
    return one.name
  end, sync('workspace/symbol', { query = 'circle' }))
  local context = { diagnostics = {} }
  local document = { uri = vim.uri_from_bufnr(0) }
  for _, action in ipairs(sync('textDocument/codeAction', { textDocument = document, range = span, context = context })) do
    if action.title == 'Remember this selection' then
      report.kept = sync('workspace/executeCommand', action.command).content
    end
  end

  vim.cmd('VademecumRemember token ghp_0123456789abcdefghijABCDEFGHIJ456789')
  wait('the secret to be refused', function()
    return told_of('ecret') ~= nil
  end)
  report.refused = told_of('ecret')
end)
report.error = not ok and tostring(problem) or nil
report.told = told

local file = io.open(vim.env.DRIVE_REPORT .. '.part', 'w')
file:write(vim.fn.json_encode(report))
file:close()
os.rename(vim.env.DRIVE_REPORT .. '.part', vim.env.DRIVE_REPORT)

vim.wait(DEADLINE, function()
  return vim.fn.filereadable(vim.env.DRIVE_GO) == 1
end, 20)
vim.cmd('qall!')
