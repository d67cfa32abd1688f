;;; fly-mode.el --- Major mode for flyc's .fly files  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; A mode over `python-mode' for .fly files: colours for flyc's words, `flyc lsp' as the language server of Eglot, the
;; checks of the file as the compile command.  See editors/README.md.

;;; Code:

(require 'python)
(require 'compile)

(defgroup fly nil
  "GPU kernels in .fly files."
  :group 'languages)

(defcustom fly-flyc "flyc"
  "The compiler: a name on the path, or a file."
  :type 'string)

(defcustom fly-architecture nil
  "The architecture that the server shows, such as \"gfx950\".
Nil is flyc's own choice."
  :type '(choice (const nil) string))

;; words of flyc: scripts/editor_words.py writes them
(defconst fly--reserved
  '("async" "await" "del" "except" "finally" "nonlocal" "raise" "try" "yield"))
(defconst fly--number-types
  '("bf16" "bool" "e8m0" "f16" "f32" "f4E2M1" "f64" "f6E2M3" "f6E3M2" "f8E4M3FN" "f8E4M3FNUZ" "f8E5M2" "f8E5M2FNUZ"
    "i1" "i16" "i32" "i4" "i64" "i8" "tf32" "u16" "u32" "u4" "u64" "u8"))
(defconst fly--type-names
  '("Constexpr" "In" "InOut" "Out" "Pointer" "Vector" "dict" "float" "int" "layout" "list" "str" "tuple" "type" "vec"))
(defconst fly--constants
  '("False" "LayoutLeft" "LayoutRight" "None" "True" "inf" "nan"))
(defconst fly--named-values
  '("block_dim" "block_id" "cluster_block_id" "cluster_dim" "cluster_id" "cluster_rank" "device" "global" "grid_dim"
    "lane_id" "target" "thread_id" "wave_id" "wave_size"))
(defconst fly--builtins
  '("E" "UniversalAtomic" "UniversalCopy" "UniversalFMA" "abs" "acos" "acosh" "add_sat" "all" "any" "any_order"
    "append" "arange" "array" "asin" "asinh" "atan" "atan2" "atanh" "attention_reference" "ballot" "barrier" "bin"
    "bit_extract" "bit_reverse" "bitcast" "blocked_product" "cbrt" "ceil" "ceil_div" "chr" "clamp" "cluster_barrier"
    "clz" "coalesce" "compatible" "complement" "composed" "composition" "concat" "conflict_free_swizzle" "congruent"
    "copy" "copysign" "cos" "cosh" "coshape" "cosize" "crd2crd" "crd2idx" "ctz" "denormals" "depth" "dice" "dict"
    "divmod" "downcast" "dynamic_shared" "elem_less" "elem_scale" "empty" "enumerate" "equal" "erf" "erfc" "exp"
    "exp10" "exp2" "expect_close" "expect_equal" "expect_error" "expect_fault" "expect_refused" "expm1" "export"
    "fastmath" "fence" "fill" "filter" "filter_zeros" "flat_divide" "flat_product" "flatten" "float" "floor" "fma"
    "fmod" "fragment" "full" "gather" "gemm" "get" "get_1d_coord" "get_flat_coord" "get_hier_coord" "get_shape"
    "get_stride" "group" "hex" "hypot" "identity_tensor" "idx2crd" "inner_product" "int" "int_tuple_add"
    "int_tuple_div" "int_tuple_mod" "int_tuple_mul" "int_tuple_product" "int_tuple_product_each"
    "int_tuple_product_like" "int_tuple_sub" "is_power_of_two" "is_static" "isfinite" "isinf" "isinstance" "isnan"
    "ldexp" "left_inverse" "len" "likely" "list" "local_tile" "log" "log10" "log1p" "log2" "logical_divide"
    "logical_product" "make_composed_layout" "make_coord" "make_fragment_layout_like" "make_fragment_like"
    "make_identity_layout" "make_int_tuple" "make_layout" "make_layout_like" "make_layout_tv" "make_ordered_layout"
    "make_shape" "make_stride" "make_tensor" "make_tile" "make_tiled_copy_A" "make_tiled_copy_B" "make_tiled_copy_C"
    "make_tiled_copy_tv" "make_tiled_mma" "map" "max" "max_common_layout" "max_common_vector" "mbcnt" "min" "mul_hi"
    "mul_wide" "nullspace" "oct" "only_workgroups" "ord" "popcount" "pow" "prepend" "printf" "product" "product_each"
    "product_like" "raked_product" "random" "range" "rank" "raw" "rcp" "readfirstlane" "readlane" "recast"
    "recast_layout" "replace" "repr" "reversed" "right_inverse" "rint" "rotate_left" "rotate_right" "round" "round_up"
    "rsqrt" "scatter" "select" "shape_div" "shared" "shared_arena" "shuffle" "shuffle_down" "shuffle_up" "shuffle_xor"
    "sin" "sinh" "size" "slice" "slice_and_offset" "sorted" "sqrt" "static_assert" "static_error" "static_print"
    "stored" "str" "sub_sat" "sum" "swizzle" "take" "tan" "tanh" "tile_to_shape" "tiled_copy" "tiled_copy_A"
    "tiled_copy_B" "tiled_copy_C" "tiled_divide" "tiled_mma" "tiled_product" "together" "trap" "trunc" "tuned" "tuple"
    "type" "ulp" "unflatten" "unlikely" "unroll" "upcast" "vector" "wave_all" "wave_any" "weakly_compatible"
    "weakly_congruent" "where" "widest_copy" "workspace" "writelane" "zeros" "zip" "zipped_divide" "zipped_product"))
(defconst fly--amd-builtins
  '("AsyncCopy" "BufferAtomic" "BufferCopy" "BufferCopyLDS" "GlobalCopyLDS" "GlobalReadTrans" "LDSReadTrans" "MFMA"
    "MMA" "WMMA" "buffer" "buffer_load" "buffer_store" "tensor_load" "tensor_store" "tiled_copy_into" "wait"))
;; end of the words of flyc

(defun fly--words (words &optional before after)
  "A regular expression of WORDS that are no members, after BEFORE, before AFTER."
  (concat (or before "\\(?:^\\|[^.[:word:]_]\\)") "\\_<" (regexp-opt words t) "\\_>" after))

(defvar fly-font-lock-keywords
  `(("^[ \t]*\\(@[ \t]*\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-preprocessor-face)
    ("\\_<class[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-type-face)
    ("\\_<def[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ;; The word before `=' names an argument or a variable, whatever else it is.
    ("\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*=\\(?:[^=]\\|$\\)" 1 font-lock-variable-name-face)
    (,(fly--words fly--reserved) 1 font-lock-warning-face)
    (,(fly--words fly--number-types) 1 font-lock-type-face)
    (,(fly--words fly--builtins nil "[ \t]*(") 1 font-lock-builtin-face)
    (,(fly--words fly--amd-builtins nil "[ \t]*(") 1 font-lock-builtin-face)
    (,(fly--words fly--type-names) 1 font-lock-type-face)
    (,(fly--words fly--constants) 1 font-lock-constant-face)
    (,(fly--words fly--named-values) 1 font-lock-builtin-face)
    (,(regexp-opt '("and" "as" "assert" "break" "class" "continue" "def" "elif" "else" "for" "from" "if" "import" "in"
                    "is" "lambda" "not" "or" "pass" "return" "while" "with")
                  'symbols)
     . font-lock-keyword-face))
  "What is coloured in `fly-mode'; strings and comments are `python-mode's.")

(defun fly--compile-command ()
  "The command that runs the checks of this buffer's file."
  (and buffer-file-name
       (concat (shell-quote-argument fly-flyc) " test --color=never " (shell-quote-argument buffer-file-name))))

;;;###autoload
(define-derived-mode fly-mode python-mode "Fly"
  "Major mode for GPU kernels in .fly files."
  ;; Python's own words would colour `print' and `open'.
  (setq-local font-lock-defaults
              '(fly-font-lock-keywords nil nil nil nil
                                       (font-lock-syntactic-face-function
                                        . python-font-lock-syntactic-face-function)))
  (setq-local indent-tabs-mode nil
              tab-width 4
              fill-column 120
              python-indent-offset 4
              python-indent-guess-indent-offset nil)
  ;; Nothing here asks Python.
  (remove-hook 'completion-at-point-functions #'python-completion-at-point t)
  (remove-hook 'completion-at-point-functions #'python-shell-completion-at-point t)
  (remove-hook 'eldoc-documentation-functions #'python-eldoc-function t)
  (remove-hook 'flymake-diagnostic-functions #'python-flymake t)
  (when-let ((command (fly--compile-command)))
    (setq-local compile-command command)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.fly\\'" . fly-mode))

;; The place of an error is the line after it: `  --> softmax.fly:4:22'.
(add-to-list 'compilation-error-regexp-alist-alist
             '(fly "^ *--> \\([^:\n]+\\):\\([0-9]+\\):\\([0-9]+\\)$" 1 2 3))
(add-to-list 'compilation-error-regexp-alist 'fly)

(defun fly--server (&rest _)
  "The command line of the server, for Eglot."
  (append (list fly-flyc "lsp") (and fly-architecture (list "--arch" fly-architecture))))

;; Eglot is part of Emacs since 29.
(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'fly-mode #'fly--server)))

(provide 'fly-mode)
;;; fly-mode.el ends here
