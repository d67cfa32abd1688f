// Called from externs.fly. Compiled for amdgcn without a processor: it runs on all of them.
typedef float float4 __attribute__((ext_vector_type(4)));

static float once(float x, float y) { return x * 0.75f + y * 0.25f; }

float weighted(float x, float y, int steps) {
  for (int i = 0; i < steps; ++i)
    x = once(x, y);
  return x;
}

float dot4(float4 x, float4 y) {
  float4 p = x * y;
  return (p.x + p.y) + (p.z + p.w);
}
