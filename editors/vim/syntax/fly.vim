" Colours of .fly text, for Vim and Neovim. A `syntax match` that stands later wins at the same place.
if exists('b:current_syntax')
  finish
endif

syntax match flyCall /\<\h\w*\ze\s*(/
syntax match flyUserDecorator /^\s*@\s*\h\w*/
syntax match flyNumber /\.\@1<!\<\%(0[xX]\%(_\?\x\)\+\|0[oO]\%(_\?\o\)\+\|0[bB]\%(_\?[01]\)\+\|\d\%(_\?\d\)*\)\>/
syntax match flyFloat /\<\d\%(_\?\d\)*\%(\.\%(\d\%(_\?\d\)*\)\?\%([eE][+-]\?\d\+\)\?\|[eE][+-]\?\d\+\)/
syntax match flyFloat /\w\@1<!\.\d\%(_\?\d\)*\%([eE][+-]\?\d\+\)\?/

" words of flyc: scripts/editor_words.py writes them
syntax keyword flyConditional elif else if
syntax keyword flyRepeat break continue for while
syntax keyword flyStatement assert pass return with
syntax keyword flyInclude as from import
syntax keyword flyOperator and in is not or
syntax keyword flyDeclaration class def lambda
syntax keyword flyReserved async await del except finally nonlocal raise try yield
syntax match flyConstant /\.\@1<!\<\%(False\|LayoutLeft\|LayoutRight\|None\|True\|inf\|nan\)\>/
syntax match flyType /\.\@1<!\<\%(bf16\|bool\|e8m0\|f16\|f32\|f4E2M1\|f64\|f6E2M3\|f6E3M2\|f8E4M3FN\|f8E4M3FNUZ\|f8E5M2\|f8E5M2FNUZ\|i1\|i16\|i32\|i4\)\>/
syntax match flyType /\.\@1<!\<\%(i64\|i8\|tf32\|u16\|u32\|u4\|u64\|u8\)\>/
syntax match flyType /\.\@1<!\<\%(Constexpr\|In\|InOut\|Out\|Pointer\|Vector\|dict\|float\|int\|layout\|list\|str\|tuple\|type\|vec\)\>/
syntax match flyValue /\.\@1<!\<\%(block_dim\|block_id\|cluster_block_id\|cluster_dim\|cluster_id\|cluster_rank\|device\|global\|grid_dim\|lane_id\)\>/
syntax match flyValue /\.\@1<!\<\%(target\|thread_id\|wave_id\|wave_size\)\>/
syntax match flyBuiltin /\.\@1<!\<\%(E\|UniversalAtomic\|UniversalCopy\|UniversalFMA\|abs\|acos\|acosh\|add_sat\|all\|any\|any_order\|append\|arange\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(array\|asin\|asinh\|atan\|atan2\|atanh\|attention_reference\|ballot\|barrier\|bin\|bit_extract\|bit_reverse\|bitcast\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(blocked_product\|cbrt\|ceil\|ceil_div\|chr\|clamp\|cluster_barrier\|clz\|coalesce\|compatible\|complement\|composed\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(composition\|concat\|conflict_free_swizzle\|congruent\|copy\|copysign\|cos\|cosh\|coshape\|cosize\|crd2crd\|crd2idx\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(ctz\|denormals\|depth\|dice\|dict\|divmod\|downcast\|dynamic_shared\|elem_less\|elem_scale\|empty\|enumerate\|equal\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(erf\|erfc\|exp\|exp10\|exp2\|expect_close\|expect_equal\|expect_error\|expect_fault\|expect_refused\|expm1\|export\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(fastmath\|fence\|fill\|filter\|filter_zeros\|flat_divide\|flat_product\|flatten\|float\|floor\|fma\|fmod\|fragment\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(full\|gather\|gemm\|get\|get_1d_coord\|get_flat_coord\|get_hier_coord\|get_shape\|get_stride\|group\|hex\|hypot\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(identity_tensor\|idx2crd\|inner_product\|int\|int_tuple_add\|int_tuple_div\|int_tuple_mod\|int_tuple_mul\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(int_tuple_product\|int_tuple_product_each\|int_tuple_product_like\|int_tuple_sub\|is_power_of_two\|is_static\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(isfinite\|isinf\|isinstance\|isnan\|ldexp\|left_inverse\|len\|likely\|list\|local_tile\|log\|log10\|log1p\|log2\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(logical_divide\|logical_product\|make_composed_layout\|make_coord\|make_fragment_layout_like\|make_fragment_like\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(make_identity_layout\|make_int_tuple\|make_layout\|make_layout_like\|make_layout_tv\|make_ordered_layout\|make_shape\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(make_stride\|make_tensor\|make_tile\|make_tiled_copy_A\|make_tiled_copy_B\|make_tiled_copy_C\|make_tiled_copy_tv\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(make_tiled_mma\|map\|max\|max_common_layout\|max_common_vector\|mbcnt\|min\|mul_hi\|mul_wide\|nullspace\|oct\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(only_workgroups\|ord\|popcount\|pow\|prepend\|printf\|product\|product_each\|product_like\|raked_product\|random\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(range\|rank\|raw\|rcp\|readfirstlane\|readlane\|recast\|recast_layout\|replace\|repr\|reversed\|right_inverse\|rint\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(rotate_left\|rotate_right\|round\|round_up\|rsqrt\|scatter\|select\|shape_div\|shared\|shared_arena\|shuffle\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(shuffle_down\|shuffle_up\|shuffle_xor\|sin\|sinh\|size\|slice\|slice_and_offset\|sorted\|sqrt\|static_assert\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(static_error\|static_print\|stored\|str\|sub_sat\|sum\|swizzle\|take\|tan\|tanh\|tile_to_shape\|tiled_copy\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(tiled_copy_A\|tiled_copy_B\|tiled_copy_C\|tiled_divide\|tiled_mma\|tiled_product\|together\|trap\|trunc\|tuned\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(tuple\|type\|ulp\|unflatten\|unlikely\|unroll\|upcast\|vector\|wave_all\|wave_any\|weakly_compatible\)\>\ze\s*(/
syntax match flyBuiltin /\.\@1<!\<\%(weakly_congruent\|where\|widest_copy\|workspace\|writelane\|zeros\|zip\|zipped_divide\|zipped_product\)\>\ze\s*(/
syntax match flyAmd /\.\@1<!\<\%(AsyncCopy\|BufferAtomic\|BufferCopy\|BufferCopyLDS\|GlobalCopyLDS\|GlobalReadTrans\|LDSReadTrans\|MFMA\|MMA\|WMMA\)\>\ze\s*(/
syntax match flyAmd /\.\@1<!\<\%(buffer\|buffer_load\|buffer_store\|tensor_load\|tensor_store\|tiled_copy_into\|wait\)\>\ze\s*(/
syntax match flyDecorator /^\s*@\s*\%(bench\|check\|expect\|extern\|kernel\|launch\|struct\|tune\)\>/
syntax match flyAmd /\.\@1<!\<sched\.\%(barrier\|fixed\|group\|iglp\|in_shadow\|interleave\|priority\|region\)\>/
syntax match flyAmd /\.\@1<!\<isa\.\%(abs\|descriptor\|dual\|label\|neg\|place\|raw\|sext\|shared\)\>/
" end of the words of flyc

" The word before `=` names an argument or a variable, whatever else it is: `type=f16`, `size = 4`.
syntax match flyArgument /\<\h\w*\ze\s*==\@!/
syntax match flyDefined /\%(\<\%(def\|class\)\s\+\)\@<=\h\w*/

syntax match flyComment /#.*$/ contains=flyTodo,@Spell
syntax keyword flyTodo TODO FIXME XXX NOTE contained
syntax match flyEscape /\\\%(x\x\{2}\|u\x\{4}\|U\x\{8}\|\o\{1,3}\|.\|$\)/ contained
syntax match flyBrace /{{\|}}/ contained
syntax region flyInterpolation matchgroup=flyEscape start=/{{\@!/ end=/}/ contained oneline
      \ contains=TOP,flyInterpolation
syntax region flyString start=/\c\%(\<[ub]\)\?\z(["']\)/ skip=/\\./ end=/\z1\|$/ contains=flyEscape,@Spell
syntax region flyString start=/\c\%(\<[ub]\)\?\z("""\|'''\)/ skip=/\\./ end=/\z1/ contains=flyEscape,@Spell
syntax region flyString start=/\c\<b\?rb\?\z(["']\)/ skip=/\\./ end=/\z1\|$/ contains=@Spell
syntax region flyString start=/\c\<b\?rb\?\z("""\|'''\)/ skip=/\\./ end=/\z1/ contains=@Spell
syntax region flyString start=/\c\<r\?fr\?\z(["']\)/ skip=/\\./ end=/\z1\|$/
      \ contains=flyEscape,flyBrace,flyInterpolation,@Spell
syntax region flyString start=/\c\<r\?fr\?\z("""\|'''\)/ skip=/\\./ end=/\z1/
      \ contains=flyEscape,flyBrace,flyInterpolation,@Spell
syntax sync match flySync grouphere NONE /^\%(@\|def\|class\)/

highlight default link flyConditional Conditional
highlight default link flyRepeat Repeat
highlight default link flyStatement Statement
highlight default link flyInclude Include
highlight default link flyOperator Operator
highlight default link flyDeclaration Structure
highlight default link flyConstant Constant
highlight default link flyReserved Error
highlight default link flyType Type
highlight default link flyValue Identifier
highlight default link flyBuiltin Function
highlight default link flyAmd Special
highlight default link flyDecorator PreProc
highlight default link flyUserDecorator PreProc
highlight default link flyDefined Function
highlight default link flyNumber Number
highlight default link flyFloat Float
highlight default link flyComment Comment
highlight default link flyTodo Todo
highlight default link flyString String
highlight default link flyEscape SpecialChar
highlight default link flyBrace SpecialChar

let b:current_syntax = 'fly'
