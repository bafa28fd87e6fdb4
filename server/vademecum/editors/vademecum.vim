" Vademecum in Vim, through ALE: what an AI chat should remember, and search of the code.
" Belongs into ~/.vim/plugin/ (`vademecum install vim` puts it there); docs/editors/vim.md has the rest.

if exists('g:loaded_vademecum') || v:version < 800
  finish
endif
let g:loaded_vademecum = 1

let g:vademecum_executable = get(g:, 'vademecum_executable', 'vademecum')

" The folder that holds a buffer's repository; empty outside of any.
function! s:Root(buffer) abort
  let l:from = fnamemodify(bufname(a:buffer), ':p:h')
  let l:found = finddir('.git', escape(l:from, ' ,;') . ';')
  if empty(l:found)
    let l:found = findfile('.git', escape(l:from, ' ,;') . ';') " of a worktree or a submodule
  endif
  return empty(l:found) ? '' : fnamemodify(substitute(fnamemodify(l:found, ':p'), '[\/]$', '', ''), ':h')
endfunction

" Tell ALE of the server, for files of this type.
function! s:Define(filetype) abort
  for l:type in split(a:filetype, '\.')
    if !has_key(s:defined, l:type)
      let s:defined[l:type] = 1
      call ale#linter#Define(l:type, {
      \   'name': 'vademecum',
      \   'lsp': 'stdio',
      \   'executable': {-> g:vademecum_executable},
      \   'command': '%e serve',
      \   'language': l:type,
      \   'project_root': function('s:Root'),
      \})
    endif
  endfor
endfunction
let s:defined = {}

" Let ALE run the server for this buffer: for some file types it runs none but a few linters of its own choice. The server
" takes a buffer that ALE opened for what the file says, so ALE must go on telling what changes in it.
function! s:Enable(filetype) abort
  call s:Define(a:filetype)
  let l:names = map(copy(ale#linter#Get(a:filetype)), {_, linter -> linter.name})
  if index(l:names, 'vademecum') < 0 && type(get(b:, 'ale_linters', [])) is v:t_list
    let b:ale_linters = l:names + ['vademecum']
  endif
endfunction

function! s:Ready(filetype) abort
  if empty(&buftype) && !empty(s:Root(bufnr('')))
    try
      call s:Enable(a:filetype)
    catch /^Vim\%((\a\+)\)\=:E117/ " ALE is not there
    endtry
  endif
endfunction

function! s:Tell(message, ...) abort
  if a:0
    echohl ErrorMsg
  endif
  echomsg 'Vademecum: ' . a:message
  echohl None
endfunction

let s:asked = -1 " the buffer that was asked for last

" Ask the server, and call `Done(result)` with its answer; an error is shown.
function! s:Request(method, params, Done) abort
  let l:buffer = bufnr('')
  if !empty(&buftype) && bufexists(s:asked) " as from the quickfix window
    let l:buffer = s:asked
  elseif empty(&filetype) || empty(s:Root(l:buffer))
    call s:Tell('open a file of your project first', 1)
    return
  endif
  let s:asked = l:buffer
  try
    if l:buffer == bufnr('')
      call s:Enable(&filetype)
    endif
    let l:message = [0, a:method, a:params]
    let l:started = ale#lsp_linter#SendRequest(l:buffer, 'vademecum', l:message, function('s:Answered', [a:Done]))
  catch /^Vim\%((\a\+)\)\=:E117/
    call s:Tell('needs the plugin ALE, which is not there', 1)
    return
  catch
    call s:Tell(v:exception, 1)
    return
  endtry
  if !l:started && !executable(g:vademecum_executable)
    call s:Tell('there is no program ' . g:vademecum_executable, 1)
  endif
endfunction

function! s:Answered(Done, response) abort
  if has_key(a:response, 'error')
    call s:Tell(a:response.error.message, 1)
  else
    call a:Done(a:response.result)
  endif
endfunction

" Remembering

function! s:Remember(bang, range, first, last, note) abort
  let l:note = a:note
  if empty(l:note) && a:range > 0
    let l:note = join(getline(a:first, a:last), "\n")
  elseif empty(l:note)
    let l:note = input('Remember: ')
  endif
  if !empty(l:note)
    let l:params = {'note': l:note}
    if a:bang
      let l:params.scope = 'user'
    endif
    call s:Request('memory/remember', l:params, function('s:Remembered'))
  endif
endfunction

function! s:Remembered(memory) abort
  let l:verb = get(a:memory, 'known', v:false) is v:true ? 'known already:' : 'remembered'
  call s:Tell(printf('%s %s (%s): %s', l:verb, a:memory.id, a:memory.scope, a:memory.title))
endfunction

" What is remembered, in the quickfix list: each is a file to read, change or delete

function! s:Memories(query) abort
  let l:params = {'limit': 200}
  if !empty(a:query)
    let l:params.query = a:query
  endif
  call s:Request('memory/search', l:params, function('s:Listed', [a:query]))
endfunction

function! s:Listed(query, answer) abort
  call s:List('Vademecum: memories', map(copy(a:answer.items), {_, found -> s:MemoryItem(found.memory)}))
  if empty(a:answer.items)
    call s:Tell('nothing is remembered' . (empty(a:query) ? ' yet' : ' about "' . a:query . '"'))
  elseif a:answer.total > len(a:answer.items)
    call s:Tell(a:answer.total - len(a:answer.items) . ' more; narrow it by words')
  endif
endfunction

function! s:MemoryItem(memory) abort
  let l:text = printf('%s (%s, %s)', a:memory.title, a:memory.category, a:memory.scope)
  return {'filename': s:Path(a:memory.uri), 'lnum': 1, 'text': l:text}
endfunction

" Searching

function! s:Search(query) abort
  let l:query = empty(a:query) ? expand('<cword>') : a:query
  call s:Request('search/query', {'query': l:query, 'limit': 30}, function('s:Found', [l:query]))
endfunction

function! s:Found(query, answer) abort
  for l:notice in a:answer.notices
    if l:notice.kind isnot# 'noModel' && l:notice.kind isnot# 'vectorsPending'
      call s:Tell(l:notice.message)
    endif
  endfor
  call s:List('Vademecum: ' . a:query, map(copy(a:answer.items), {_, hit -> s:HitItem(hit)}))
  if empty(a:answer.items)
    call s:Tell('nothing was found for "' . a:query . '"')
  endif
endfunction

" A hit as an item of the quickfix list: at the best matching word, where there is one.
function! s:HitItem(hit) abort
  let l:from = get(a:hit, 'match', a:hit.range).start
  let l:lines = split(a:hit.snippet is v:null ? '' : a:hit.snippet, "\n", 1)
  let l:line = get(l:lines, l:from.line - a:hit.range.start.line, '')
  let l:symbol = has_key(a:hit, 'symbol') ? a:hit.symbol . ': ' : ''
  return {
  \   'filename': s:Path(a:hit.uri),
  \   'lnum': l:from.line + 1,
  \   'col': s:ByteColumn(l:line, l:from.character),
  \   'text': l:symbol . trim(l:line),
  \}
endfunction

" The byte column, from 1, of a place counted in UTF-16, as ALE speaks it.
function! s:ByteColumn(line, character) abort
  let l:units = 0
  let l:bytes = 0
  for l:char in split(a:line, '\zs')
    if l:units >= a:character
      break
    endif
    let l:units += char2nr(l:char) > 0xFFFF ? 2 : 1
    let l:bytes += len(l:char)
  endfor
  return l:bytes + 1
endfunction

function! s:Path(uri) abort
  let l:path = substitute(a:uri, '^file://', '', '')
  return substitute(l:path, '%\(\x\x\)', '\=printf("%c", str2nr(submatch(1), 16))', 'g')
endfunction

function! s:List(title, items) abort
  call setqflist([], ' ', {'title': a:title, 'items': a:items})
  if !empty(a:items)
    botright copen
  endif
endfunction

" The prompt block

function! s:Prompt(session) abort
  call s:Request('memory/prompt', empty(a:session) ? {} : {'session': a:session}, function('s:Show'))
endfunction

function! s:Show(block) abort
  botright new
  setlocal buftype=nofile bufhidden=wipe noswapfile filetype=markdown
  call setline(1, split(a:block.text, "\n", 1))
  setlocal nomodifiable
endfunction

" References

function! s:Verify(first, last, given) abort
  let l:text = empty(a:given) ? join(getline(a:first, a:last), "\n") : a:given
  let l:references = []
  call substitute(l:text, '[^[:space:]`"''<>|*()\[\]{},;]\+:\d\+-\d\+@\x\+', '\=add(l:references, submatch(0))[-1]', 'g')
  if empty(l:references)
    call s:Tell('there are no references here')
    return
  endif
  call s:Request('evidence/verify', {'references': uniq(sort(l:references))}, function('s:Verified'))
endfunction

function! s:Verified(answer) abort
  let l:root = s:Root(s:asked)
  let l:items = []
  for l:item in a:answer.items
    let l:verdict = has_key(l:item, 'verdict') ? l:item.verdict : l:item.error.message
    if l:verdict isnot# 'valid'
      let l:place = matchlist(get(l:item, 'relocatedTo', l:item.reference), '^\(.*\):\(\d\+\)-\d\+@')
      let l:text = l:verdict . ': ' . l:item.reference
      call add(l:items, empty(l:place) ? {'text': l:text}
      \   : {'filename': l:root . '/' . l:place[1], 'lnum': str2nr(l:place[2]), 'text': l:text})
    endif
  endfor
  call s:List('Vademecum: references', l:items)
  let l:all = len(a:answer.items) . ' reference' . (len(a:answer.items) == 1 ? '' : 's')
  call s:Tell(empty(l:items) ? l:all . ': valid' : l:all . ': ' . len(l:items) . ' not as cited')
endfunction

command! -nargs=* -range -bang VademecumRemember call s:Remember(<bang>0, <range>, <line1>, <line2>, <q-args>)
command! -nargs=* VademecumMemories call s:Memories(<q-args>)
command! -nargs=* VademecumSearch call s:Search(<q-args>)
command! -nargs=? VademecumPrompt call s:Prompt(<q-args>)
command! -nargs=* -range=% VademecumVerify call s:Verify(<line1>, <line2>, <q-args>)

augroup vademecum
  autocmd!
  autocmd FileType * call s:Ready(expand('<amatch>'))
augroup END
