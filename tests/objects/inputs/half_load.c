/* A register that holds 0x11112222 before a 16-bit load into its low half: what is in the other half shows the setting of
 * error correction. */
__attribute__((amdgpu_kernel)) void half_load(__attribute__((address_space(1))) unsigned *in,
                                              __attribute__((address_space(1))) unsigned *out) {
  unsigned loaded, zero = 0;
  __asm__ volatile("v_mov_b32 %0, 0x11112222\n\tglobal_load_short_d16 %0, %1, %2\n\ts_waitcnt vmcnt(0)"
                   : "=&v"(loaded) : "v"(zero), "s"(in));
  out[__builtin_amdgcn_workitem_id_x()] = loaded;
}
