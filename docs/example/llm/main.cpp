// llm MODEL [--tokens N] [--sequences N] PROMPT ...: what a model says after each prompt, best token by token.
#include <cstdio>
#include <iostream>

#include "engine.hpp"
#include "tokenizer.hpp"

namespace {

struct Options {
  std::string model;
  std::vector<std::string> prompts;
  int tokens = 32, sequences = 8, pages = 256, rows = 512;
  bool numbers = false;
};

Options parse(int count, char **words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    int *number = word == "--tokens"      ? &options.tokens
                  : word == "--sequences" ? &options.sequences
                  : word == "--pages"     ? &options.pages
                  : word == "--rows"      ? &options.rows
                                          : nullptr;
    if (number && i + 1 < count)
      *number = std::stoi(words[++i]);
    else if (word == "--numbers")
      options.numbers = true;
    else if (word.rfind("--", 0) == 0)
      throw std::runtime_error(word + " is not an option");
    else if (options.model.empty())
      options.model = word;
    else
      options.prompts.push_back(word);
  }
  if (options.prompts.empty())
    throw std::runtime_error(
        "usage: llm MODEL [--tokens N] [--sequences N] [--pages N] [--rows N] [--numbers] PROMPT ...");
  for (int number : {options.tokens, options.sequences, options.pages, options.rows})
    if (number < 1)
      throw std::runtime_error("numbers begin at 1");
  return options;
}

std::vector<int> endsOf(const llm::Json &config) {
  const llm::Json ends = config.value("eos_token_id", llm::Json());
  return ends.is_null()    ? std::vector<int>()
         : ends.is_array() ? ends.get<std::vector<int>>()
                           : std::vector<int>{ends.get<int>()};
}

std::vector<int> numbersOf(const std::string &text) {
  return llm::Json::parse("[" + text + "]").get<std::vector<int>>();
}

void run(const Options &options) {
  const llm::Checkpoint checkpoint(options.model);
  const llm::Tokenizer tokenizer(options.model + "/tokenizer.json");
  llm::Model model(checkpoint, options.pages);
  std::vector<std::vector<int>> said(options.prompts.size());
  llm::Engine engine(model, options.pages, options.sequences, options.rows, endsOf(checkpoint.config),
                     [&](int number, int token, bool) { said[static_cast<size_t>(number)].push_back(token); });
  for (const std::string &prompt : options.prompts) {
    std::vector<int> tokens = options.numbers ? numbersOf(prompt) : tokenizer.encode(prompt);
    if (const llm::Json begin = checkpoint.config.value("bos_token_id", llm::Json());
        !options.numbers && begin.is_number())
      tokens.insert(tokens.begin(), begin.get<int>());
    engine.add({tokens, options.tokens});
  }
  while (engine.step())
    ;
  for (size_t i = 0; i < said.size(); ++i) {
    std::string text;
    for (int token : said[i])
      text += options.numbers ? (text.empty() ? "" : ",") + std::to_string(token) : tokenizer.decode(token);
    std::cout << (options.numbers ? text : options.prompts[i] + "|" + text) << "\n";
  }
  std::fprintf(stderr, "%d steps, %d graphs, %d tokens of prompts from known pages\n", engine.steps, engine.captured,
               engine.shared);
}

} // namespace

int main(int count, char **words) {
  try {
    run(parse(count, words));
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "llm: " << error.what() << "\n";
    return 1;
  }
}
