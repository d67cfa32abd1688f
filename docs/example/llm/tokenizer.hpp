// Byte-pair encoding by a tokenizer.json: byte-level vocabularies with a pattern that splits words (Llama 3), and those of
// SentencePiece with bytes as a fallback (Llama 2, Mixtral).
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstdio>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checkpoint.hpp"

namespace llm {

class Tokenizer {
public:
  explicit Tokenizer(const std::filesystem::path &path) {
    const Json file = readJson(path);
    try {
      read(file);
    } catch (const std::exception &error) {
      refuse(path.string() + ": " + wordsOf(error));
    }
    nameBytes();
  }

  std::vector<int> encode(const std::string &text) const {
    try {
      (void)Json(text).dump();
    } catch (const Json::exception &) {
      refuse("a prompt is not valid UTF-8");
    }
    std::vector<int> found;
    size_t at = 0;
    while (at < text.size()) { // added tokens stand for themselves, the longest one first
      size_t next = text.size(), length = 0;
      int number = -1;
      for (const auto &[token, value] : added)
        if (size_t place = text.find(token, at);
            place < next || (number >= 0 && place == next && token.size() > length))
          next = place, length = token.size(), number = value;
      encodePlain(text.substr(at, next - at), found);
      if (number >= 0)
        found.push_back(number);
      at = next + length;
    }
    return found;
  }

  /// The text of one token; a part of a character may be in each of several tokens.
  std::string decode(int token) const {
    auto found = names.find(token);
    if (found == names.end() || special.count(token))
      return "";
    const std::string &name = found->second;
    std::string text;
    if (pattern) {
      for (const std::string &character : characters(name))
        if (auto byte = byteOf.find(character); byte != byteOf.end())
          text += static_cast<char>(byte->second);
      return text;
    }
    unsigned byte;
    if (name.size() == 6 && std::sscanf(name.c_str(), "<0x%02X>", &byte) == 1)
      return std::string(1, static_cast<char>(byte));
    for (const std::string &character : characters(name))
      text += character == space ? " " : character;
    return text;
  }

private:
  int add(const std::string &token, const Json &number) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() > INT32_MAX)
      refuse("`" + token + "` has no number");
    numbers[token] = number, names[number] = token;
    return number;
  }

  void read(const Json &file) {
    const Json &model = file.at("model");
    if (model.value("type", "BPE") != "BPE")
      refuse("the model is not byte-pair encoding");
    for (const auto &[token, number] : model.at("vocab").items())
      add(token, number);
    int rank = 0;
    for (const Json &merge : model.at("merges")) { // "a b" or ["a", "b"]
      const std::string text = merge.is_string() ? merge : merge.at(0);
      const size_t space = merge.is_string() ? text.find(' ') : text.size();
      if (space == std::string::npos)
        refuse("the merge `" + text + "` has no space");
      ranks.emplace(
          std::pair(text.substr(0, space), merge.is_string() ? text.substr(space + 1) : merge.at(1).get<std::string>()),
          rank++);
    }
    for (const Json &token : file.value("added_tokens", Json::array())) {
      const std::string text = token.at("content");
      const int number = add(text, token.at("id"));
      if (!text.empty())
        added[text] = number;
      if (token.value("special", false))
        special.insert(number);
    }
    bytesFallBack = model.value("byte_fallback", false);
    findPattern(file.value("pre_tokenizer", Json()));
  }

  void findPattern(const Json &part) {
    if (part.is_null())
      return;
    for (const Json &inner : part.value("pretokenizers", Json::array()))
      findPattern(inner);
    const std::string type = part.value("type", "");
    std::string regex;
    if (type == "Split")
      regex = part.at("pattern").at("Regex");
    else if (type == "ByteLevel" && part.value("use_regex", true)) // GPT-2's
      regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
    if (regex.empty())
      return;
    int error;
    PCRE2_SIZE offset;
    pattern.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(regex.data()), regex.size(), PCRE2_UTF | PCRE2_UCP, &error,
                                &offset, nullptr));
    if (!pattern)
      refuse("the pattern of words is not understood at byte " + std::to_string(offset));
  }

  /// Byte-level vocabularies write a byte as the character that it is if that is printable, else as one from 256 on.
  void nameBytes() {
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 33 && byte < 127) || (byte >= 161 && byte < 173) || byte >= 174;
      const int code = printable ? byte : next++;
      const std::string name =
          code < 128 ? std::string(1, static_cast<char>(code))
                     : std::string{static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
      nameOf[byte] = name, byteOf[name] = byte;
    }
  }

  static std::vector<std::string> characters(const std::string &text) {
    std::vector<std::string> found;
    for (char c : text)
      if ((c & 0xc0) == 0x80 && !found.empty())
        found.back() += c;
      else
        found.emplace_back(1, c);
    return found;
  }

  void encodePlain(const std::string &text, std::vector<int> &found) const {
    if (text.empty())
      return;
    if (!pattern) { // SentencePiece: a space before the text, spaces as U+2581
      std::string spelled = space;
      for (char c : text)
        spelled += c == ' ' ? space : std::string(1, c);
      merge(characters(spelled), found);
      return;
    }
    std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
        pcre2_match_data_create_from_pattern(pattern.get(), nullptr), pcre2_match_data_free);
    for (size_t at = 0; at < text.size();) {
      size_t begin = text.size(), end = text.size();
      const int state = pcre2_match(pattern.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                                    PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK, match.get(), nullptr);
      if (state < 0 && state != PCRE2_ERROR_NOMATCH)
        refuse("the words of a prompt cannot be found: error " + std::to_string(state) + " of PCRE2");
      if (state >= 0) {
        const PCRE2_SIZE *range = pcre2_get_ovector_pointer(match.get());
        begin = range[0], end = range[1];
      }
      for (auto [from, to] : {std::pair(at, begin), std::pair(begin, end)}) {
        std::vector<std::string> spelled;
        for (size_t i = from; i < to; ++i)
          spelled.push_back(nameOf[static_cast<unsigned char>(text[i])]);
        merge(std::move(spelled), found);
      }
      at = end;
    }
  }

  /// Joins the pair of the lowest rank until none is left.
  void merge(std::vector<std::string> parts, std::vector<int> &found) const {
    while (parts.size() > 1) {
      int best = -1;
      size_t place = 0;
      for (size_t i = 0; i + 1 < parts.size(); ++i)
        if (auto rank = ranks.find({parts[i], parts[i + 1]}); rank != ranks.end() && (best < 0 || rank->second < best))
          best = rank->second, place = i;
      if (best < 0)
        break;
      parts[place] += parts[place + 1];
      parts.erase(parts.begin() + static_cast<ptrdiff_t>(place) + 1);
    }
    for (const std::string &part : parts) {
      if (auto number = numbers.find(part); number != numbers.end()) {
        found.push_back(number->second);
      } else if (bytesFallBack && part.rfind("<0x", 0) != 0) {
        for (unsigned char byte : part) {
          char name[8];
          std::snprintf(name, sizeof name, "<0x%02X>", byte);
          merge({name}, found);
        }
      } else {
        refuse("the tokenizer has no token for `" + part + "`");
      }
    }
  }

  inline static const std::string space = "\u2581";
  std::unordered_map<std::string, int> numbers;
  std::unordered_map<int, std::string> names;
  std::map<std::pair<std::string, std::string>, int> ranks;
  std::map<std::string, int> added;
  std::set<int> special;
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> pattern{nullptr, pcre2_code_free};
  std::string nameOf[256];
  std::unordered_map<std::string, int> byteOf;
  bool bytesFallBack = false;
};

} // namespace llm
