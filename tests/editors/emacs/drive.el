;;; drive.el --- runs inside Emacs  -*- lexical-binding: t; -*-
;; Remembers, shows the prompt block, searches, opens the hit, verifies references, in a buffer of Python, where eglot has
;; nothing to do with us; then follows, mends and completes references in notes, which eglot connects.  Writes what it saw
;; as JSON to $DRIVE_REPORT, and quits once $DRIVE_GO exists.

;; Nobody types here, so what Emacs asks while somebody pauses would come in the middle of what is asked on purpose; and
;; jsonrpc of Emacs 28 loses answers where one question is asked while another is read.
(global-eldoc-mode -1)
(setq eglot-sync-connect 60 eglot-connect-timeout 60)

(defvar drive-report (make-hash-table :test #'equal))
(defvar drive-told nil)
(advice-add 'message :before
            (lambda (format &rest arguments) (when format (push (apply #'format format arguments) drive-told))))

(defun drive-note (key value) (puthash key value drive-report))

(defmacro drive-wait (what &rest condition)
  `(let ((end (+ (float-time) 30)) found)
     (while (not (setq found (progn ,@condition)))
       (when (> (float-time) end) (error "Gave up waiting for %s" ,what))
       (accept-process-output nil 0.05))
     found))

(defun drive-project () (getenv "DRIVE_PROJECT"))
(defun drive-last (pattern)
  (let (case-fold-search)
    (seq-find (lambda (text) (string-match-p pattern text)) drive-told)))

(defun drive-code ()
  (find-file (expand-file-name "src/shapes.py" (drive-project)))
  (run-hooks 'post-command-hook)
  (drive-note "connected" (if (eglot-current-server) t :false))
  (vademecum-remember "Use pnpm, never npm")
  (drive-note "remembered" (drive-last "remembered"))
  (goto-char (point-min))
  (forward-line 1)
  (set-mark (point))
  (end-of-line)
  (let ((mark-even-if-inactive t) (transient-mark-mode t))
    (activate-mark)
    (vademecum-remember (buffer-substring-no-properties (region-beginning) (region-end)) t))
  (drive-note "selection" (drive-last "(user)"))
  (vademecum-prompt "chat-1")
  (drive-note "prompt" (with-current-buffer "*vademecum prompt*" (buffer-string)))
  (vademecum-memories "zeppelin")
  (drive-note "none" (drive-last "nothing is remembered"))
  (vademecum-memories "pnpm")
  (drive-note "memories" (with-current-buffer "*vademecum memories*" (buffer-string)))
  (drive-wait "the index" (equal (plist-get (vademecum-request :search/status) :state) "ready"))
  (vademecum-search "circle area")
  (drive-note "list" (with-current-buffer "*vademecum: circle area*" (buffer-string)))
  (find-file (expand-file-name "src/greeting.js" (drive-project)))
  (next-error)
  (set-buffer (window-buffer (selected-window)))
  (drive-note "opened" (buffer-file-name))
  (drive-note "line" (buffer-substring-no-properties (line-beginning-position) (line-end-position)))
  (drive-note "refused"
              (condition-case problem
                  (prog1 "" (vademecum-remember "token ghp_0123456789abcdefghijABCDEFGHIJ456789"))
                (user-error (cadr problem)))))

(defun drive-diagnostics ()
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun drive-notes ()
  (find-file (expand-file-name "docs/notes.md" (drive-project)))
  (run-hooks 'post-command-hook)
  (drive-wait "eglot" (eglot-current-server))
  (drive-note "mode" (symbol-name major-mode))
  (vademecum-verify (point-min) (point-max))
  (drive-note "verified" (drive-last "reference(s)"))
  (goto-char (point-min))
  (search-forward "shapes.py:2")
  (let ((notes (current-buffer)))
    (xref-find-definitions (thing-at-point 'symbol t))
    (drive-note "jumped" (list (buffer-file-name) (line-number-at-pos)))
    (with-temp-file (expand-file-name "src/shapes.py" (drive-project))
      (insert "# one\n# two\n")
      (insert-file-contents (expand-file-name "shapes.before" (file-name-directory (getenv "DRIVE_REPORT")))))
    (switch-to-buffer notes))
  (drive-note "diagnostic" (car (drive-wait "a diagnostic" (drive-diagnostics))))
  (vademecum-verify (point-min) (point-max))
  (drive-note "moved" (drive-last "not as cited"))
  (goto-char (point-min))
  (search-forward "shapes.py:2")
  (let ((action (seq-find (lambda (one) (string-prefix-p "Relocate" (plist-get one :title)))
                          (drive-actions (point) (point)))))
    (drive-note "offered" (plist-get action :title))
    (eglot--apply-workspace-edit (plist-get action :edit)))
  (drive-note "relocated" (buffer-substring-no-properties (point-min) (point-max)))
  (goto-char (point-max))
  (insert "\nsrc/shapes.py:1-1")
  (eglot--signal-textDocument/didChange)
  (completion-at-point)
  (drive-note "completed" (buffer-substring-no-properties (line-beginning-position) (line-end-position)))
  (goto-char (point-min))
  (let* ((action (seq-find (lambda (one) (equal (plist-get one :title) "Remember this selection"))
                           (drive-actions (point-min) (line-end-position))))
         (command (plist-get action :command)))
    (eglot-execute-command (eglot-current-server) (plist-get command :command) (plist-get command :arguments)))
  (drive-note "selected" (drive-wait "the message" (drive-last "Vademecum: Remembered"))))

(defun drive-actions (begin end)
  (append (jsonrpc-request
           (eglot-current-server) :textDocument/codeAction
           (list :textDocument (eglot--TextDocumentIdentifier)
                 :range (list :start (eglot--pos-to-lsp-position begin) :end (eglot--pos-to-lsp-position end))
                 :context (list :diagnostics [])))
          nil))

(defun drive-logs ()
  (mapconcat (lambda (buffer) (with-current-buffer buffer 
                                (buffer-substring-no-properties (max (point-min) (- (point-max) 4000)) (point-max))))
             (seq-filter (lambda (buffer) (string-match-p "stderr\\|events" (buffer-name buffer))) (buffer-list)) "\n"))

(condition-case problem
    (progn
      (drive-code)
      (drive-notes))
  (error (drive-note "error" (format "%S; told: %S; logs: %s" problem drive-told (drive-logs)))))

(let ((report (getenv "DRIVE_REPORT")))
  (maphash (lambda (key value) (when (listp value) (puthash key (vconcat value) drive-report))) drive-report)
  (let ((json (json-serialize drive-report)) (coding-system-for-write 'utf-8))
    (with-temp-file (concat report ".part")
      (insert (if (multibyte-string-p json) json (decode-coding-string json 'utf-8)))))
  (rename-file (concat report ".part") report))
(let ((end (+ (float-time) 30)))
  (while (and (not (file-exists-p (getenv "DRIVE_GO"))) (< (float-time) end))
    (accept-process-output nil 0.05)))
(kill-emacs 0)
