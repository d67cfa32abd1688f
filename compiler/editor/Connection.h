// Messages of the Language Server Protocol over standard input and output. LLVM's transport writes them. Reading is
// here: what is no such message is refused, where LLVM's would wait for a better one.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

namespace fly::editor {

/// JSON-RPC's and the protocol's numbers for what went wrong.
enum class ErrorCode {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  NotInitialized = -32002,
  Cancelled = -32800,
  Failed = -32803
};

class Connection {
public:
  /// `isTest`: messages between lines `// -----`, and answers to be read.
  Connection(std::FILE *in, llvm::raw_ostream &out, bool isTest);

  /// The next message. None at the end of the input, and if `problem` is set.
  std::optional<llvm::json::Object> read();
  std::string problem; ///< why the input cannot be read on

  // From any thread.
  void notify(llvm::StringRef method, llvm::json::Value params);
  /// Asks the client; its answer is not waited for.
  void ask(llvm::StringRef method, llvm::json::Value params = nullptr);
  void reply(const llvm::json::Value &id, llvm::json::Value result);
  void fail(const llvm::json::Value &id, ErrorCode code, const std::string &message);

private:
  std::optional<std::string> readFramed();
  std::optional<std::string> readDelimited();

  std::FILE *in;
  bool isTest;
  llvm::lsp::JSONTransportInputOverFile delimited;
  llvm::lsp::JSONTransport transport;
  std::mutex mutex;  ///< of what is written
  int64_t asked = 0; ///< requests to the client
};

} // namespace fly::editor
