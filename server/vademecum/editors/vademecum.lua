-- Vademecum in Neovim 0.7 and newer: what an AI chat should remember, and search of the code.
-- Belongs into ~/.config/nvim/lua/ (`vademecum install neovim` puts it there); docs/editors/neovim.md has the rest.

local M = {}

local NAME = 'vademecum'
local NEWER = vim.fn.has('nvim-0.11') == 1

local function tell(message, level)
  vim.notify('Vademecum: ' .. message, level or vim.log.levels.INFO)
end

-- The clients attached to a buffer, or all of them without one, whatever the version calls that.
local function clients_of(bufnr)
  if vim.lsp.get_clients then
    return vim.lsp.get_clients({ name = NAME, bufnr = bufnr })
  end
  local all = bufnr and vim.lsp.buf_get_clients(bufnr) or vim.lsp.get_active_clients()
  return vim.tbl_filter(function(client)
    return client.name == NAME
  end, all)
end

-- The client to ask: the current buffer's, or any, as from the quickfix window.
local function client_here()
  local attached = clients_of(vim.api.nvim_get_current_buf())
  return attached[1] or clients_of(nil)[1]
end

-- The URI of the folder that the current buffer lies in; nil where no folder is open.
local function folder_here(client)
  local name = vim.api.nvim_buf_get_name(0)
  local folders = client.workspace_folders or {}
  for _, folder in ipairs(folders) do
    local path = vim.uri_to_fname(folder.uri)
    if name:sub(1, #path + 1) == path .. '/' then
      return folder.uri
    end
  end
  return folders[1] and folders[1].uri
end

-- Ask the server, and call `done(result, client)` with its answer; an error is shown.
local function request(method, params, done)
  local client = client_here()
  if not client then
    tell('the server is not running; open a file of your project first', vim.log.levels.ERROR)
    return
  end
  params.workspace = folder_here(client)
  local function answered(err, result)
    if err then
      tell(err.message, vim.log.levels.ERROR)
    else
      done(result, client)
    end
  end
  -- An empty Lua table would go out as a list.
  local sent = next(params) and params or vim.empty_dict()
  if NEWER then
    client:request(method, sent, answered)
  else
    client.request(method, sent, answered)
  end
end

-- Keep a note. `scope` is 'project' or 'user'; nil leaves it to the server.
function M.remember(note, scope)
  request('memory/remember', { note = note, scope = scope }, function(memory)
    local verb = memory.known and 'known already:' or 'remembered'
    tell(('%s %s (%s): %s'):format(verb, memory.id, memory.scope, memory.title))
  end)
end

-- The byte column of a position in a line, from the units that client and server agreed on.
local function byte_column(line, character, client)
  local encoding = client.offset_encoding or 'utf-16'
  local ok, column = pcall(function()
    if encoding == 'utf-8' then
      return character
    elseif NEWER then
      return vim.str_byteindex(line, encoding, character, false)
    end
    return vim.str_byteindex(line, character, encoding == 'utf-16')
  end)
  return ok and column or 0
end

-- A hit as a line of the quickfix list: at the best matching word, where there is one.
local function quickfix_item(hit, client)
  local lines = vim.split(hit.snippet or '', '\n', { plain = true })
  local from = (hit.match or hit.range).start
  local line = lines[from.line - hit.range.start.line + 1] or ''
  return {
    filename = vim.uri_to_fname(hit.uri),
    lnum = from.line + 1,
    col = byte_column(line, from.character, client) + 1,
    text = vim.trim((hit.symbol and hit.symbol .. ': ' or '') .. vim.trim(line)),
  }
end

local searches = 0 -- how many were begun

-- Search the project, and show the hits in the quickfix list, best first.
function M.search(query)
  searches = searches + 1
  local this = searches
  request('search/query', { query = query, limit = 30 }, function(answer, client)
    if this ~= searches then
      return -- the list is for what was asked last
    end
    local items = vim.tbl_map(function(hit)
      return quickfix_item(hit, client)
    end, answer.items)
    for _, notice in ipairs(answer.notices) do
      if notice.kind ~= 'noModel' and notice.kind ~= 'vectorsPending' then -- how it is for now: no news each time
        tell(notice.message, vim.log.levels.WARN)
      end
    end
    vim.fn.setqflist({}, ' ', { title = 'Vademecum: ' .. query, items = items })
    if #items > 0 then
      vim.cmd('botright copen')
    else
      tell('nothing was found for "' .. query .. '"')
    end
  end)
end

-- List what is remembered, or what of it matches the words, in the quickfix list: each is a file to read, change or delete.
function M.memories(query)
  searches = searches + 1
  local this = searches
  request('memory/search', { query = query, limit = 200 }, function(answer)
    if this ~= searches then
      return
    end
    local items = vim.tbl_map(function(found)
      local memory = found.memory
      return {
        filename = vim.uri_to_fname(memory.uri),
        lnum = 1,
        text = ('%s (%s, %s)'):format(memory.title, memory.category, memory.scope),
      }
    end, answer.items)
    vim.fn.setqflist({}, ' ', { title = 'Vademecum: memories', items = items })
    if #items > 0 then
      vim.cmd('botright copen')
    else
      tell('nothing is remembered' .. (query and ' about "' .. query .. '"' or ' yet'))
    end
    if answer.total > #items then
      tell(('%d more; narrow it by words'):format(answer.total - #items))
    end
  end)
end

-- Show the text that goes at the head of a chat, in a buffer of its own. With a `session` it stays the same.
function M.prompt(session)
  request('memory/prompt', { session = session }, function(block)
    vim.cmd('botright new')
    vim.bo.buftype = 'nofile'
    vim.bo.bufhidden = 'wipe'
    vim.bo.swapfile = false
    vim.bo.filetype = 'markdown'
    vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(block.text, '\n', { plain = true }))
    vim.bo.modifiable = false
  end)
end

-- The evidence references in a text, each once.
local function references_in(text)
  local found, seen = {}, {}
  for reference in text:gmatch('[^%s`"\'<>|*()%[%]{},;]+:%d+%-%d+@%x+') do
    if not seen[reference] then
      seen[reference] = true
      table.insert(found, reference)
    end
  end
  return found
end

-- Tell whether references still hold; those that do not are listed in the quickfix list, where they are now.
function M.verify(references)
  if #references == 0 then
    tell('there are no references here')
    return
  end
  request('evidence/verify', { references = references }, function(answer, client)
    local root = vim.uri_to_fname(folder_here(client) or vim.uri_from_fname(vim.fn.getcwd()))
    local items = {}
    for _, item in ipairs(answer.items) do
      local verdict = item.verdict or item.error.message
      if verdict ~= 'valid' then
        local path, line = (item.relocatedTo or item.reference):match('^(.*):(%d+)%-%d+@')
        table.insert(items, {
          filename = path and root .. '/' .. path,
          lnum = tonumber(line),
          text = verdict .. ': ' .. item.reference,
        })
      end
    end
    vim.fn.setqflist({}, ' ', { title = 'Vademecum: references', items = items })
    if #items > 0 then
      vim.cmd('botright copen')
    end
    local all = ('%d reference%s'):format(#answer.items, #answer.items == 1 and '' or 's')
    tell(#items == 0 and all .. ': valid' or ('%s: %d not as cited'):format(all, #items))
  end)
end

local function selected_lines(command)
  return table.concat(vim.api.nvim_buf_get_lines(0, command.line1 - 1, command.line2, false), '\n')
end

-- Define the commands :VademecumRemember, :VademecumMemories, :VademecumSearch, :VademecumPrompt and :VademecumVerify.
function M.setup()
  local command = vim.api.nvim_create_user_command
  command('VademecumRemember', function(given)
    local scope = given.bang and 'user' or nil
    if given.args ~= '' then
      M.remember(given.args, scope)
    elseif given.range > 0 then
      M.remember(selected_lines(given), scope)
    else
      vim.ui.input({ prompt = 'Remember: ' }, function(note)
        if note and note ~= '' then
          M.remember(note, scope)
        end
      end)
    end
  end, { nargs = '*', range = true, bang = true, desc = 'Remember a note or the selected lines; ! for every project' })
  command('VademecumMemories', function(given)
    M.memories(given.args ~= '' and given.args or nil)
  end, { nargs = '*', desc = 'List what is remembered, or what of it matches the words' })
  command('VademecumSearch', function(given)
    M.search(given.args ~= '' and given.args or vim.fn.expand('<cword>'))
  end, { nargs = '*', desc = 'Search the project for words, or for the word under the cursor' })
  command('VademecumPrompt', function(given)
    M.prompt(given.args ~= '' and given.args or nil)
  end, { nargs = '?', desc = 'Show what a chat is told at its start' })
  command('VademecumVerify', function(given)
    local text = given.args
    if text == '' then
      text = table.concat(vim.api.nvim_buf_get_lines(0, given.line1 - 1, given.line2, false), '\n')
    end
    M.verify(references_in(text))
  end, { nargs = '*', range = '%', desc = 'Tell whether the references here, or those given, still hold' })
end

-- The folder that holds a file's repository; nil outside of any.
local function root_of(path)
  local from = vim.fn.fnamemodify(path, ':p:h')
  local found = vim.fn.finddir('.git', from .. ';')
  if found == '' then
    found = vim.fn.findfile('.git', from .. ';') -- of a worktree or a submodule
  end
  return found ~= '' and vim.fn.fnamemodify(found:gsub('/$', ''), ':p:h'):gsub('/%.git$', '') or nil
end

-- Start the server for every file that is opened, one for each repository. For Neovim 0.7 to 0.10; newer ones do this
-- themselves (vim.lsp.enable).
function M.start(config)
  local running = {}
  local function attach(bufnr)
    local name = vim.api.nvim_buf_get_name(bufnr)
    if vim.bo[bufnr].buftype ~= '' or name == '' then
      return
    end
    local root = root_of(name)
    local key = root or ''
    if not running[key] then
      local own = vim.tbl_extend('force', { name = NAME, root_dir = root }, config)
      own.on_exit = function()
        running[key] = nil
      end
      running[key] = vim.lsp.start_client(own)
    end
    if running[key] then
      vim.lsp.buf_attach_client(bufnr, running[key])
    end
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup(NAME, { clear = true }),
    callback = function(event)
      attach(event.buf)
    end,
  })
end

return M
