/* Reads another lane's value, and does not wait for it: nobody inserts waits into inline assembly. */
float early(float x) {
  float y;
  __asm__("ds_bpermute_b32 %0, %1, %1\n\tv_add_f32 %0, %0, %1" : "=&v"(y) : "v"(x));
  return y;
}
