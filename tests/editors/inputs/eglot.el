;;; The one variable of Eglot that fly-mode.el adds to. Emacs has it since 29.  -*- lexical-binding: t -*-
(defvar eglot-server-programs nil)
(provide 'eglot)
