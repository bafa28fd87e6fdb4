;;; vademecum.el --- What an AI chat should remember, and search of the code, through eglot -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Package-Requires: ((emacs "27.1") (eglot "1.9"))

;;; Commentary:

;; Belongs into ~/.emacs.d/vademecum/ (`vademecum install emacs' puts it there); docs/editors/emacs.md has the rest.
;;
;; In notes (Markdown, Org, plain text) eglot connects to Vademecum by itself: references to code are followed with M-.,
;; completed, and marked when they no longer hold.  The commands below work in every buffer of a project, whichever
;; server eglot uses there: they ask the server of the project's notes where one runs, else one of their own.

;;; Code:

(require 'eglot)
(require 'grep)
(require 'jsonrpc)
(require 'project)
(require 'seq)
(require 'subr-x)

(defgroup vademecum nil
  "What an AI chat should remember, and search of the code."
  :group 'tools)

(defcustom vademecum-command '("vademecum" "serve")
  "The program that is the server, and its arguments."
  :type '(repeat string))

(defcustom vademecum-modes '(markdown-mode gfm-mode org-mode rst-mode text-mode)
  "Modes in which eglot connects to Vademecum by itself: those of notes."
  :type '(repeat symbol))

(defcustom vademecum-timeout 30
  "Seconds after which an answer is no longer waited for."
  :type 'number)

(defvar vademecum--connections (make-hash-table :test #'equal)
  "Connections of our own, by the folder they are for.")

(defun vademecum-setup ()
  "Let eglot connect to Vademecum in notes.
Where nothing for Markdown is installed, Markdown is opened in `text-mode'."
  (unless (assoc-default "notes.md" auto-mode-alist #'string-match)
    (add-to-list 'auto-mode-alist '("\\.md\\'" . text-mode)))
  ;; At the end, so that modes derived from `text-mode' keep their own servers.
  (add-to-list 'eglot-server-programs (cons vademecum-modes vademecum-command) t)
  (dolist (mode vademecum-modes)
    (add-hook (intern (format "%s-hook" mode)) #'vademecum--ensure)))

(defun vademecum--ensure ()
  "Connect this buffer, where it is a file of a project and in a mode of its own."
  (when (and buffer-file-name (memq major-mode vademecum-modes) (project-current))
    (eglot-ensure)))

;;; The server to ask

(defun vademecum--root ()
  "The folder of the project that this buffer belongs to."
  (let ((project (project-current)))
    (file-name-as-directory
     (expand-file-name
      (cond ((null project) default-directory)
            ((fboundp 'project-root) (project-root project))
            (t (car (project-roots project))))))))

(defun vademecum--eglot-server (root)
  "The server that eglot runs for ROOT, if that is Vademecum."
  (seq-find
   (lambda (server)
     (and (jsonrpc-running-p server)
          (equal (plist-get (ignore-errors (eglot--server-info server)) :name) "vademecum")
          (file-equal-p root (expand-file-name (project-root (eglot--project server))))))
   (apply #'append (hash-table-values eglot--servers-by-project))))

(defun vademecum--own-server (root)
  "Our own connection for ROOT, started where there is none."
  (let ((known (gethash root vademecum--connections)))
    (if (and known (jsonrpc-running-p known))
        known
      (let* ((default-directory root)
             (title (format "vademecum (%s)" root))
             (connection
              (make-instance
               'jsonrpc-process-connection
               :name title
               :process (lambda ()
                          (make-process :name "vademecum" :command vademecum-command :connection-type 'pipe
                                        :coding 'utf-8-emacs-unix :noquery t
                                        ;; jsonrpc takes the log from a buffer of this name.
                                        :stderr (get-buffer-create (format "*%s stderr*" title))))
               :notification-dispatcher #'ignore
               :request-dispatcher #'ignore))
             (uri (concat "file://" (url-hexify-string (directory-file-name root) url-path-allowed-chars)))
             (name (file-name-nondirectory (directory-file-name root))))
        (jsonrpc-request connection :initialize
                         (list :processId (emacs-pid) :rootUri uri
                               :workspaceFolders (vector (list :uri uri :name name))
                               :capabilities (make-hash-table))
                         :timeout vademecum-timeout)
        (jsonrpc-notify connection :initialized (make-hash-table))
        (puthash root connection vademecum--connections)))))

(defun vademecum-request (method &optional params)
  "Ask the server of this project: METHOD (a keyword such as `:memory/prompt') with PARAMS, a plist.
docs/protocol.md has every request."
  (let* ((root (vademecum--root))
         (server (or (vademecum--eglot-server root) (vademecum--own-server root))))
    (when (bound-and-true-p eglot--managed-mode)
      (ignore-errors (eglot--signal-textDocument/didChange)))
    (condition-case problem
        (jsonrpc-request server method (or params (make-hash-table)) :timeout vademecum-timeout)
      (jsonrpc-error
       (user-error "Vademecum: %s" (or (alist-get 'jsonrpc-error-message (cddr problem)) (cadr problem)))))))

;;; Commands

;;;###autoload
(defun vademecum-remember (note &optional everywhere)
  "Keep NOTE for this project, or with EVERYWHERE (a prefix argument) for every one.
What is selected is the note, where something is."
  (interactive (list (if (use-region-p)
                         (buffer-substring-no-properties (region-beginning) (region-end))
                       (read-string "Remember: "))
                     current-prefix-arg))
  (let ((memory (vademecum-request :memory/remember
                                   (append (list :note note) (and everywhere (list :scope "user"))))))
    (message "Vademecum: %s %s (%s): %s"
             (if (eq (plist-get memory :known) t) "known already:" "remembered")
             (plist-get memory :id) (plist-get memory :scope) (plist-get memory :title))
    memory))

;;;###autoload
(defun vademecum-memories (&optional query)
  "List what is remembered, or what of it matches QUERY; each is a file to read, change or delete."
  (interactive (list (read-string "Remembered about (empty for all): ")))
  (let* ((asked (and query (not (string-empty-p query))))
         (answer (vademecum-request :memory/search (append (list :limit 200) (and asked (list :query query)))))
         (items (plist-get answer :items))
         (more (- (plist-get answer :total) (length items))))
    (vademecum--list "*vademecum memories*" (seq-map #'vademecum--memory-line items)
                     (and (> more 0) (list (format "%d more; narrow it by words" more))))
    (when (seq-empty-p items)
      (message "Vademecum: nothing is remembered%s" (if asked (format " about \"%s\"" query) " yet")))
    answer))

(defun vademecum--memory-line (found)
  "The memory FOUND as a line that `grep-mode' understands."
  (let ((memory (plist-get found :memory)))
    (format "%s:1:%s (%s, %s)" (vademecum--path (plist-get memory :uri)) (plist-get memory :title)
            (plist-get memory :category) (plist-get memory :scope))))

;;;###autoload
(defun vademecum-search (query)
  "Search the project for QUERY and list the hits, best first; `next-error' goes through them."
  (interactive (list (let ((word (thing-at-point 'symbol t)))
                       (read-string (format-prompt "Search for" word) nil nil word))))
  (let ((answer (vademecum-request :search/query (list :query query :limit 30))))
    (vademecum--list (format "*vademecum: %s*" query)
                     (seq-map #'vademecum--hit-line (plist-get answer :items))
                     (seq-map (lambda (notice) (plist-get notice :message))
                              (seq-remove (lambda (notice) (member (plist-get notice :kind) '("noModel" "vectorsPending")))
                                          (plist-get answer :notices))))
    (when (seq-empty-p (plist-get answer :items))
      (message "Vademecum: nothing was found for \"%s\"" query))
    answer))

(defun vademecum--hit-line (hit)
  "HIT as a line that `grep-mode' understands."
  (let* ((range (plist-get hit :range))
         (from (plist-get (or (plist-get hit :match) range) :start))
         (first (plist-get (plist-get range :start) :line))
         (line (plist-get from :line))
         (text (or (nth (- line first) (split-string (or (plist-get hit :snippet) "") "\n")) "")))
    (format "%s:%d:%s%s" (file-relative-name (vademecum--path (plist-get hit :uri)) (vademecum--root)) (1+ line)
            (if (plist-get hit :symbol) (concat (plist-get hit :symbol) ": ") "") (string-trim text))))

(defun vademecum--path (uri)
  "The file that URI names."
  (decode-coding-string (url-unhex-string (string-remove-prefix "file://" uri)) 'utf-8))

;;;###autoload
(defun vademecum-prompt (&optional session)
  "Show what a chat is told at its start; for SESSION (with a prefix argument) it stays the same."
  (interactive (list (and current-prefix-arg (read-string "Session: "))))
  (let ((block (vademecum-request :memory/prompt (and session (list :session session)))))
    (with-current-buffer (get-buffer-create "*vademecum prompt*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (plist-get block :text))
        (goto-char (point-min)))
      (special-mode)
      (display-buffer (current-buffer)))
    block))

;;;###autoload
(defun vademecum-verify (begin end)
  "Tell whether the references between BEGIN and END (in the whole buffer, without a region) still hold."
  (interactive (if (use-region-p) (list (region-beginning) (region-end)) (list (point-min) (point-max))))
  (let* ((references (vademecum--references begin end))
         (answer (and references (vademecum-request :evidence/verify (list :references (vconcat references)))))
         (wrong (seq-remove (lambda (item) (equal (plist-get item :verdict) "valid")) (plist-get answer :items))))
    (cond ((null references) (message "Vademecum: there are no references here"))
          ((null wrong) (message "Vademecum: %d reference(s): valid" (length references)))
          (t (vademecum--list "*vademecum references*" (mapcar #'vademecum--wrong-line wrong) nil)
             (message "Vademecum: %d reference(s): %d not as cited" (length references) (length wrong))))
    answer))

(defun vademecum--references (begin end)
  "The references between BEGIN and END, each once."
  (save-excursion
    (goto-char begin)
    (let (found)
      (while (re-search-forward "[^][[:space:]`\"'<>|*(){},;]+:[0-9]+-[0-9]+@[0-9a-fA-F]+" end t)
        (push (match-string-no-properties 0) found))
      (seq-uniq (nreverse found)))))

(defun vademecum--wrong-line (item)
  "ITEM of a verification as a line that `grep-mode' understands, at the place where its lines are now."
  (let ((now (or (plist-get item :relocatedTo) (plist-get item :reference)))
        (verdict (or (plist-get item :verdict) (plist-get (plist-get item :error) :message))))
    (if (string-match "\\`\\(.*\\):\\([0-9]+\\)-[0-9]+@" now)
        (format "%s:%s:%s: %s" (match-string 1 now) (match-string 2 now) verdict (plist-get item :reference))
      (format "%s: %s" verdict now))))

(defun vademecum--list (name lines notices)
  "Show LINES in a buffer called NAME, in which `next-error' works, with NOTICES above them."
  (let ((root (vademecum--root)))
    (with-current-buffer (get-buffer-create name)
      (let ((inhibit-read-only t))
        (erase-buffer)
        (setq default-directory root)
        (dolist (notice notices) (insert notice "\n"))
        (insert "\n" (string-join lines "\n") "\n")
        (goto-char (point-min)))
      (grep-mode)
      (setq next-error-last-buffer (current-buffer))
      (when lines (display-buffer (current-buffer))))))

(provide 'vademecum)
;;; vademecum.el ends here
