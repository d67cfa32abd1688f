// An object of compiler/sema/value that calls what is defined far below.
namespace fly::sema {
struct Environment;
const Environment &environment();
const Environment *found() { return &environment(); }
} // namespace fly::sema
