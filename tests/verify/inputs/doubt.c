/* Two instructions with no distance in between that LLVM would keep: a doubt, and of what flyc builds an error. */
float early(float x) {
  float y;
  __asm__("v_mov_b32 v9, %1\n\tv_readfirstlane_b32 s9, v9\n\ts_nop 1\n\tv_mov_b32 %0, s9" : "=v"(y) : "v"(x) : "v9", "s9");
  return y;
}
