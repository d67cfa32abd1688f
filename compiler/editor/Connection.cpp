// See Connection.h.
#include "compiler/editor/Connection.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::editor {

namespace json = llvm::json;

constexpr size_t longestHeader = 1000, longestMessage = 256u << 20;

Connection::Connection(std::FILE *in, llvm::raw_ostream &out, bool isTest)
    : in(in), isTest(isTest), delimited(in, llvm::lsp::Delimited), transport(in, out, llvm::lsp::Standard, isTest) {}

/// `Content-Length: 12`, other headers, an empty line, 12 bytes.
std::optional<std::string> Connection::readFramed() {
  std::optional<uint64_t> length;
  for (bool isFirst = true;; isFirst = false) {
    std::string line;
    int c;
    while ((c = std::fgetc(in)) != EOF && c != '\n') {
      line += char(c);
      if (line.size() > longestHeader)
        break;
    }
    if (c == EOF && line.empty() && isFirst)
      return std::nullopt; // the client is gone
    llvm::StringRef header = llvm::StringRef(line).trim();
    if (header.empty() && length && c != EOF)
      break;
    auto [name, value] = header.split(':');
    uint64_t number = 0;
    if (name.equals_insensitive("Content-Length") && !value.trim().getAsInteger(10, number) && number != 0 &&
        number <= longestMessage)
      length = number;
    else if (c == EOF || header.empty() || !header.contains(':') || name.contains(' ') ||
             name.equals_insensitive("Content-Length")) {
      std::string shown;
      llvm::raw_string_ostream os(shown);
      llvm::printEscapedString(header.take_front(60), os);
      problem = "it is not messages of the Language Server Protocol: expected `Content-Length: NUMBER`, found `" +
                shown + "`";
      return std::nullopt;
    }
  }
  std::string text(*length, '\0');
  if (std::fread(text.data(), 1, *length, in) == *length)
    return text;
  problem = "it ends inside a message of " + std::to_string(*length) + " bytes";
  return std::nullopt;
}

std::optional<std::string> Connection::readDelimited() {
  std::string text;
  while (!delimited.isEndOfInput() && !delimited.hasError())
    if (llvm::succeeded(delimited.readMessage(text)) && !llvm::StringRef(text).trim().empty())
      return text;
  return std::nullopt;
}

std::optional<json::Object> Connection::read() {
  while (true) {
    auto text = isTest ? readDelimited() : readFramed();
    if (!text)
      return std::nullopt;
    auto message = json::parse(*text);
    if (!message) {
      fail(nullptr, ErrorCode::ParseError, llvm::toString(message.takeError()));
      continue;
    }
    if (auto *object = message->getAsObject())
      return std::move(*object);
    fail(nullptr, ErrorCode::InvalidRequest, "a message is a JSON object");
  }
}

void Connection::notify(llvm::StringRef method, json::Value params) {
  std::lock_guard lock(mutex);
  transport.notify(method, std::move(params));
}

void Connection::ask(llvm::StringRef method, json::Value params) {
  std::lock_guard lock(mutex);
  transport.call(method, std::move(params), "fly-" + std::to_string(++asked));
}

void Connection::reply(const json::Value &id, json::Value result) {
  std::lock_guard lock(mutex);
  transport.reply(id, std::move(result));
}

void Connection::fail(const json::Value &id, ErrorCode code, const std::string &message) {
  std::lock_guard lock(mutex);
  transport.reply(id, llvm::make_error<llvm::lsp::LSPError>(message, llvm::lsp::ErrorCode(code)));
}

} // namespace fly::editor
