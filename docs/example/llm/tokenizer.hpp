// Byte-pair encoding by a tokenizer.json: byte-level vocabularies with a pattern that splits words (Llama 3), and those
// of SentencePiece with bytes as a fallback (Llama 2, Mixtral).
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstdio>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "checkpoint.hpp"

namespace llm {

class Tokenizer {
public:
  explicit Tokenizer(const std::filesystem::path &path) {
    readJson(path, [&](const Json &file) { read(file); });
    nameBytes();
  }

  /// Appends the tokens of a text.
  void encode(const std::string &text, std::vector<int> &found) const {
    std::string plain;
    for (size_t at = 0; at < text.size();) { // added tokens stand for themselves
      const auto begins = [&](auto &token) { return text.compare(at, token.first.size(), token.first) == 0; };
      const auto token = std::find_if(added.begin(), added.end(), begins);
      if (token == added.end()) {
        plain += text[at++];
        continue;
      }
      encodePlain(std::exchange(plain, ""), found);
      found.push_back(token->second);
      at += token->first.size();
    }
    encodePlain(plain, found);
  }

  /// The text of one token; a part of a character may be in each of several tokens.
  std::string decode(int token) const {
    const auto name = names.find(token);
    if (name == names.end() || special.count(token))
      return "";
    unsigned byte;
    if (!pattern && name->second.size() == 6 && std::sscanf(name->second.c_str(), "<0x%02X>", &byte) == 1)
      return std::string(1, static_cast<char>(byte));
    std::string text;
    for (const std::string &character : characters(name->second))
      if (!pattern)
        text += character == space ? " " : character;
      else if (const auto found = std::find(nameOf, nameOf + 256, character); found != nameOf + 256)
        text += static_cast<char>(found - nameOf);
    return text;
  }

private:
  using Pair = std::pair<std::string, std::string>;

  int add(const std::string &token, const Json &json) {
    const int number = static_cast<int>(whole(json, "the number of `" + token + "`"));
    numbers[token] = number, names[number] = token;
    return number;
  }

  void read(const Json &file) {
    const Json &model = file.at("model");
    if (model.value("type", "BPE") != "BPE")
      refuse("the model is not byte-pair encoding");
    for (const auto &[token, number] : model.at("vocab").items())
      add(token, number);
    for (const Json &merge : model.at("merges")) { // ["a", "b"] or "a b"
      const std::string text = merge.is_string() ? merge : "";
      const size_t space = text.find(' ');
      if (merge.is_string() && space == std::string::npos)
        refuse("the merge `", text, "` has no space");
      ranks.emplace(merge.is_string() ? Pair(text.substr(0, space), text.substr(space + 1)) : merge.get<Pair>(),
                    ranks.size());
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
    if (const Json part = file.value("pre_tokenizer", Json()); part.is_object())
      findPattern(part);
  }

  void findPattern(const Json &part) {
    for (const Json &inner : part.value("pretokenizers", Json::array()))
      findPattern(inner);
    const std::string type = part.value("type", "");
    std::string regex;
    if (type == "Split")
      regex = part.at("pattern").at("Regex");
    else if (type == "ByteLevel" && part.value("use_regex", true)) // GPT-2's
      regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
    else
      return;
    int error;
    PCRE2_SIZE offset;
    const auto *text = reinterpret_cast<PCRE2_SPTR>(regex.data());
    pattern.reset(pcre2_compile(text, regex.size(), PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr), pcre2_code_free);
    if (!pattern)
      refuse("the pattern of words is not understood at byte ", offset);
  }

  /// Byte-level vocabularies write a byte as the character that it is if that is printable, else as one from 256 on.
  void nameBytes() {
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 33 && byte < 127) || (byte >= 161 && byte < 173) || byte >= 174;
      const int code = printable ? byte : next++;
      if (code >= 128)
        nameOf[byte] = static_cast<char>(0xc0 | code >> 6);
      nameOf[byte] += static_cast<char>(code < 128 ? code : 0x80 | (code & 63));
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
      std::vector<std::string> spelled = characters(" " + text);
      std::replace(spelled.begin(), spelled.end(), std::string(" "), space);
      return merge(spelled, found);
    }
    const std::shared_ptr<pcre2_match_data> match(pcre2_match_data_create_from_pattern(pattern.get(), nullptr),
                                                  pcre2_match_data_free);
    for (size_t at = 0; at < text.size();) {
      const int state = pcre2_match(pattern.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                                    PCRE2_NOTEMPTY | (at ? PCRE2_NO_UTF_CHECK : 0), match.get(), nullptr);
      if (state < 0 && state != PCRE2_ERROR_NOMATCH)
        refuse("a prompt is not valid UTF-8, or has no end of a word: error ", state, " of PCRE2");
      const PCRE2_SIZE *range = pcre2_get_ovector_pointer(match.get());
      const size_t begin = state < 0 ? text.size() : range[0], end = state < 0 ? text.size() : range[1];
      for (auto [from, to] : {std::pair(at, begin), std::pair(begin, end)}) {
        std::vector<std::string> spelled;
        for (size_t i = from; i < to; ++i)
          spelled.push_back(nameOf[static_cast<unsigned char>(text[i])]);
        merge(spelled, found);
      }
      at = end;
    }
  }

  /// Joins the pair of the lowest rank until none is left.
  void merge(std::vector<std::string> parts, std::vector<int> &found) const {
    for (;;) {
      size_t best = ranks.size(), place = 0;
      for (size_t i = 0; i + 1 < parts.size(); ++i)
        if (const auto rank = ranks.find({parts[i], parts[i + 1]}); rank != ranks.end() && rank->second < best)
          best = rank->second, place = i;
      if (best == ranks.size())
        break;
      parts[place] += parts[place + 1];
      parts.erase(parts.begin() + place + 1);
    }
    for (const std::string &part : parts) {
      if (const auto number = numbers.find(part); number != numbers.end()) {
        found.push_back(number->second);
      } else if (bytesFallBack && part.rfind("<0x", 0) != 0) {
        for (unsigned char byte : part) {
          char name[8];
          std::snprintf(name, sizeof name, "<0x%02X>", byte);
          merge({name}, found);
        }
      } else {
        refuse("the tokenizer has no token for `", part, "`");
      }
    }
  }

  inline static const std::string space = "\u2581";
  std::unordered_map<std::string, int> numbers;
  std::unordered_map<int, std::string> names;
  std::map<Pair, size_t> ranks;
  std::map<std::string, int, std::greater<>> added; // of two with the same beginning, the longer one first
  std::set<int> special;
  std::shared_ptr<pcre2_code> pattern;
  std::string nameOf[256];
  bool bytesFallBack = false;
};

} // namespace llm
