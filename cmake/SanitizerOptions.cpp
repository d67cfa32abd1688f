// What programs with AddressSanitizer do unless the environment variable ASAN_OPTIONS says otherwise; in builds with
// FLY_SANITIZE.
//
// LLVM's allocators are templates. Where they are compiled with AddressSanitizer, they poison a new slab and take the
// poison off each piece that they hand out; LLVM's libraries, compiled without, hand out pieces of the same slab as
// they are. So poison that a program sets itself means nothing here. The heap and the stack are checked all the same.
extern "C" __attribute__((visibility("default"))) const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
