" Runs inside Vim: remembers, shows the prompt block, searches, opens the hit, verifies references; then follows and judges
" references in notes. Writes what it saw as JSON to $DRIVE_REPORT, and quits once $DRIVE_GO exists. Knows nothing of how
" the commands do what they do.

let s:report = {}
set nomore hidden

function! s:Wait(what, Condition) abort
  let l:begin = reltime()
  while !a:Condition()
    if reltimefloat(reltime(l:begin)) > 30
      throw 'gave up waiting for ' . a:what . '; told: ' . execute('messages')
    endif
    sleep 20m
  endwhile
endfunction

function! s:Told(pattern) abort
  return matchstr(execute('messages'), a:pattern)
endfunction

" Search until the first hit is the one: the index, and what was typed just now, take their moment.
function! s:Search(words, expected) abort
  call setqflist([])
  let l:begin = reltime()
  while get(getqflist(), 0, {'text': ''}).text !~# a:expected
    if reltimefloat(reltime(l:begin)) > 30
      throw 'gave up waiting for a hit for ' . a:words
    endif
    execute 'VademecumSearch' a:words
    sleep 1
  endwhile
endfunction

function! s:Code() abort
  execute 'edit' $DRIVE_PROJECT . '/src/shapes.py'
  VademecumRemember Use pnpm, never npm
  call s:Wait('the note', {-> !empty(s:Told('remembered'))})
  let s:report.remembered = s:Told('Vademecum: remembered[^\n]*')
  2,2VademecumRemember!
  call s:Wait('the selection', {-> !empty(s:Told('(user)'))})
  let s:report.selection = s:Told('Vademecum: remembered[^\n]*(user)[^\n]*')

  VademecumPrompt chat-1
  call s:Wait('the prompt block', {-> &buftype is# 'nofile' && !&modifiable})
  let s:report.prompt = join(getline(1, '$'), "\n")
  close

  VademecumMemories zeppelin
  call s:Wait('that there is none', {-> !empty(s:Told('nothing is remembered about'))})
  VademecumMemories pnpm
  call s:Wait('the memories', {-> !empty(getqflist())})
  let s:report.memories = map(getqflist(), {_, item -> item.text})
  cclose
  cfirst
  let s:report.memory = join(getline(1, '$'), "\n")
  execute 'edit' $DRIVE_PROJECT . '/src/shapes.py'

  call s:Search('circle area', 'def area')
  cclose
  cfirst
  let s:report.opened = expand('%:p')
  let s:report.line = getline('.')
  let s:report.word = expand('<cword>')

  call append(line('$'), ['', 'def measure_lighthouse():', '    return 1'])
  doautocmd TextChanged " which a script does not cause by itself
  sleep 1
  call s:Search('lighthouse', 'measure_lighthouse')
  let s:report.unsaved = getqflist()[0].text
  cclose
  silent undo
  doautocmd TextChanged

  VademecumRemember token ghp_0123456789abcdefghijABCDEFGHIJ456789
  call s:Wait('the refusal', {-> !empty(s:Told('secret'))})
  let s:report.refused = s:Told('Vademecum: [^\n]*secret[^\n]*')
endfunction

" What `:'<,'>ALECodeAction` offers; the first of it is taken.
function! s:Offered(data, items) abort
  let s:report.offered = map(copy(a:items), {_, item -> item[1].title})
  call ale#codefix#ApplyLSPCodeAction(a:data, a:items[0][1])
endfunction

function! s:Kept() abort
  let l:answers = []
  call ale#lsp_linter#SendRequest(bufnr(''), 'vademecum', [0, 'memory/search', {'query': 'def area'}],
  \   {response -> add(l:answers, response.result.items)})
  call s:Wait('the memories', {-> !empty(l:answers)})
  return map(l:answers[0], {_, item -> item.memory.content})
endfunction

function! s:Selection() abort
  execute "normal! 4GV\<Esc>"
  call ale#codefix#Execute(1, function('s:Offered'))
  call s:Wait('what is offered', {-> has_key(s:report, 'offered')})
  call s:Wait('the selection to be kept', {-> !empty(s:Kept())})
  let s:report.kept = s:Kept()
endfunction

function! s:Notes() abort
  execute 'edit' $DRIVE_PROJECT . '/docs/notes.md'
  VademecumVerify
  call s:Wait('the verdict', {-> !empty(s:Told('1 reference: '))})
  let s:report.valid = s:Told('Vademecum: 1 reference: [^\n]*')
  call s:Wait('ALE to look at the notes', {-> has_key(g:ale_buffer_info, bufnr(''))})
  call cursor(1, 30)
  ALEGoToDefinition
  call s:Wait('the definition', {-> expand('%:t') is# 'shapes.py'})
  let s:report.jumped = [expand('%:p'), line('.')]
  call append(0, ['# one', '# two'])
  write
  sleep 1 " ALE looks at the buffer that is shown, a moment after it was written
  execute 'edit' $DRIVE_PROJECT . '/docs/notes.md'
  call s:Wait('a diagnostic', {-> !empty(ale#engine#GetLoclist(bufnr('')))})
  let s:report.diagnostic = ale#engine#GetLoclist(bufnr(''))[0].text
  messages clear
  VademecumVerify
  call s:Wait('the verdict', {-> !empty(s:Told('1 reference: '))})
  let s:report.moved = s:Told('Vademecum: 1 reference: [^\n]*')
  let s:report.list = map(getqflist(), {_, item -> [item.text, item.lnum]})
endfunction

try
  call s:Code()
  call s:Selection()
  call s:Notes()
catch
  let s:report.error = v:exception . ' at ' . v:throwpoint
endtry
call writefile([json_encode(s:report)], $DRIVE_REPORT . '.part')
call rename($DRIVE_REPORT . '.part', $DRIVE_REPORT)
let s:begin = reltime()
while !filereadable($DRIVE_GO) && reltimefloat(reltime(s:begin)) < 30
  sleep 50m
endwhile
qall!
