; Colours of .fly text in Helix 25.07 or later, where a later pattern wins: Python's, then flyc's own words.
; inherits: python

(decorator) @attribute
(decorator (identifier) @attribute)
(decorator (call function: (identifier) @attribute))

; words of flyc: scripts/editor_words.py writes them
((identifier) @type.builtin
  (#any-of? @type.builtin "bf16" "bool" "e8m0" "f16" "f32" "f4E2M1" "f64" "f6E2M3" "f6E3M2" "f8E4M3FN" "f8E4M3FNUZ" "f8E5M2" "f8E5M2FNUZ" "i1" "i16" "i32" "i4" "i64" "i8" "tf32" "u16" "u32" "u4" "u64" "u8"))
((identifier) @type.builtin
  (#any-of? @type.builtin "Constexpr" "In" "InOut" "Out" "Pointer" "Vector" "dict" "float" "int" "layout" "list" "str" "tuple" "type" "vec"))
((identifier) @variable.builtin
  (#any-of? @variable.builtin "block_dim" "block_id" "cluster_block_id" "cluster_dim" "cluster_id" "cluster_rank" "device" "global" "grid_dim" "lane_id" "target" "thread_id" "wave_id" "wave_size"))
((identifier) @constant.builtin
  (#any-of? @constant.builtin "LayoutLeft" "LayoutRight" "inf" "nan"))
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "E" "UniversalAtomic" "UniversalCopy" "UniversalFMA" "abs" "acos" "acosh" "add_sat" "all" "any" "any_order" "append" "arange" "array" "asin" "asinh" "atan" "atan2" "atanh" "attention_reference" "ballot" "barrier" "bin" "bit_extract" "bit_reverse" "bitcast" "blocked_product" "cbrt" "ceil" "ceil_div" "chr" "clamp" "cluster_barrier" "clz" "coalesce" "compatible" "complement" "composed" "composition" "concat" "conflict_free_swizzle" "congruent" "copy" "copysign" "cos" "cosh" "coshape" "cosize" "crd2crd" "crd2idx" "ctz" "denormals" "depth" "dice" "dict" "divmod" "downcast" "dynamic_shared" "elem_less" "elem_scale" "empty" "enumerate" "equal" "erf" "erfc" "exp" "exp10" "exp2" "expect_close" "expect_equal" "expect_error" "expect_fault" "expect_refused" "expm1" "export" "fastmath" "fence" "fill" "filter" "filter_zeros" "flat_divide" "flat_product" "flatten" "float" "floor" "fma" "fmod" "fragment" "full" "gather" "gemm" "get" "get_1d_coord" "get_flat_coord" "get_hier_coord" "get_shape" "get_stride" "group" "hex" "hypot" "identity_tensor" "idx2crd" "inner_product" "int" "int_tuple_add" "int_tuple_div" "int_tuple_mod" "int_tuple_mul" "int_tuple_product" "int_tuple_product_each" "int_tuple_product_like" "int_tuple_sub" "is_power_of_two" "is_static" "isfinite" "isinf" "isinstance" "isnan" "ldexp" "left_inverse" "len" "likely" "list" "local_tile" "log" "log10" "log1p" "log2" "logical_divide" "logical_product" "make_composed_layout" "make_coord" "make_fragment_layout_like" "make_fragment_like" "make_identity_layout" "make_int_tuple" "make_layout" "make_layout_like" "make_layout_tv" "make_ordered_layout" "make_shape" "make_stride" "make_tensor" "make_tile" "make_tiled_copy_A" "make_tiled_copy_B" "make_tiled_copy_C" "make_tiled_copy_tv" "make_tiled_mma" "map" "max" "max_common_layout" "max_common_vector" "mbcnt" "min" "mul_hi" "mul_wide" "nullspace" "oct" "only_workgroups" "ord" "popcount" "pow" "prepend" "printf" "product" "product_each" "product_like" "raked_product" "random" "range" "rank" "raw" "rcp" "readfirstlane" "readlane" "recast" "recast_layout" "replace" "repr" "reversed" "right_inverse" "rint" "rotate_left" "rotate_right" "round" "round_up" "rsqrt" "scatter" "select" "shape_div" "shared" "shared_arena" "shuffle" "shuffle_down" "shuffle_up" "shuffle_xor" "sin" "sinh" "size" "slice" "slice_and_offset" "sorted" "sqrt" "static_assert" "static_error" "static_print" "stored" "str" "sub_sat" "sum" "swizzle" "take" "tan" "tanh" "tile_to_shape" "tiled_copy" "tiled_copy_A" "tiled_copy_B" "tiled_copy_C" "tiled_divide" "tiled_mma" "tiled_product" "together" "trap" "trunc" "tuned" "tuple" "type" "ulp" "unflatten" "unlikely" "unroll" "upcast" "vector" "wave_all" "wave_any" "weakly_compatible" "weakly_congruent" "where" "widest_copy" "workspace" "writelane" "zeros" "zip" "zipped_divide" "zipped_product"))
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "AsyncCopy" "BufferAtomic" "BufferCopy" "BufferCopyLDS" "GlobalCopyLDS" "GlobalReadTrans" "LDSReadTrans" "MFMA" "MMA" "WMMA" "buffer" "buffer_load" "buffer_store" "tensor_load" "tensor_store" "tiled_copy_into" "wait"))
; end of the words of flyc

; The word after a dot is a member, and the one before `=` names an argument, whatever else it is.
(attribute attribute: (identifier) @variable.other.member)
(call function: (attribute attribute: (identifier) @function.method))
(keyword_argument name: (identifier) @variable.parameter)
