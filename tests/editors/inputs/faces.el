;;; Says where the face of a word differs from the one that a comment `# ^ face' names, and how flyc is started.
;;     emacs -Q --batch -L editors/emacs -l faces.el FILE
(setq load-prefer-newer t)
(require 'fly-mode)
(find-file (pop command-line-args-left))
(message "%s %s %s" major-mode indent-tabs-mode compile-command)
(font-lock-ensure)
(goto-char (point-min))
(while (re-search-forward "^#\\( *\\)^ \\([a-z-]+\\)$" nil t)
  (let ((said (match-string 2)) (column (- (match-end 1) (line-beginning-position))) face)
    (save-excursion
      (forward-line -1)
      (while (looking-at "# *^ ") (forward-line -1))
      (forward-char column)
      (setq face (get-text-property (point) 'face))
      (when (listp face) (setq face (car face)))
      (unless (equal (format "%s" (or face "none")) said)
        (message "%d:%d: %s where %s is said" (line-number-at-pos) column face said)))))
;; A line after a colon.
(goto-char (point-max))
(insert "def f(x):\nreturn x")
(indent-according-to-mode)
(message "indent %d" (current-indentation))
;; The server, as Eglot asks for it.
(require 'eglot)
(let ((fly-architecture "gfx950"))
  (message "%s" (funcall (cdr (assq 'fly-mode eglot-server-programs)) nil)))
;; Places in what the compiler prints.
(with-temp-buffer
  (insert "error[FLY0203]: text\n  --> b.fly:4:22\n   |\n      c.fly:5:6: the result differs\n")
  (compilation-mode)
  (compilation--ensure-parse (point-max))
  (goto-char (point-min))
  (while (ignore-errors (compilation-next-error 1) t)
    (message "place %s" (buffer-substring (line-beginning-position) (line-end-position)))))
