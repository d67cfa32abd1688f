// Kernels with mangled names, as clang gives to instances of a template.
typedef __attribute__((address_space(1))) float *pointer;
__attribute__((amdgpu_kernel)) void large(pointer p) __asm__("_ZN2nn4gemmILi128EfEEvPU3AS1T0_");
__attribute__((amdgpu_kernel)) void small(pointer p) __asm__("_ZN2nn4gemmILi64EfEEvPU3AS1T0_");
__attribute__((amdgpu_kernel)) void norm(pointer p) __asm__("_ZN2nn4normEPU3AS1f");
void large(pointer p) { *p = 128; }
void small(pointer p) { *p = 64; }
void norm(pointer p) { *p = 0; }
