// llm MODEL [OPTIONS] PROMPT ...: what a model says after each prompt. At the end, a table on stderr.
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "engine.hpp"
#include "tokenizer.hpp"

namespace {

constexpr const char *usage = R"(usage: llm MODEL [OPTIONS] PROMPT ...
  --tokens N (32)       new tokens of a prompt, at most      --weights bf16|fp8    default: as published
  --sequences N (8)     at the same time, at most            --devices N (1)       that share the model: 1, 2, 4, 8
  --pages N (256)       of 16 tokens, of the cache           --temperature T (0)   0: the best token
  --rows N (512)        tokens that a step reads, at most    --top-k N (0: all), --top-p P (1: all)
  --logits FILE         in f32, of each new token           --no-graphs
  --numbers             prompts and answers are 1,2,3        --seed N (0)          of the first prompt; then N + 1)";

struct Number {
  double value, least, most;
  bool whole = true;
};

struct Options {
  std::vector<std::string> words; // the model, and the prompts
  std::map<std::string, bool> flags = {{"--numbers", false}, {"--no-graphs", false}};
  std::map<std::string, std::string> texts = {{"--weights", ""}, {"--logits", ""}};
  std::map<std::string, Number> numbers = {
      {"--tokens", {32, 1, 1 << 26}}, {"--sequences", {8, 1, 4096}}, {"--pages", {256, 1, 1 << 26}},
      {"--rows", {512, 1, 65536}},    {"--devices", {1, 1, 8}},      {"--temperature", {0, 0, 1000, false}},
      {"--top-k", {0, 0, 1 << 26}},   {"--top-p", {1, 0, 1, false}}, {"--seed", {0, 0, 0x1p53}}};
};

Options parse(int count, char **words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const char *next = i + 1 < count ? words[i + 1] : "";
    if (word.rfind("--", 0) != 0) {
      options.words.push_back(word);
    } else if (options.flags.count(word)) {
      options.flags[word] = true;
    } else if (options.texts.count(word)) {
      if (!*next)
        llm::refuse(word, " needs a value");
      options.texts[word] = next, ++i;
    } else if (options.numbers.count(word)) {
      auto &[value, least, most, whole] = options.numbers[word];
      char *end = nullptr;
      value = std::strtod(next, &end), ++i;
      if (end == next || *end || !(value >= least && value <= most) || (whole && value != std::floor(value)))
        llm::refuse(word, " needs a ", whole ? "whole " : "", "number from ", least, " to ", static_cast<int64_t>(most),
                    ", not `", next, "`");
    } else {
      llm::refuse(word, " is not an option");
    }
  }
  if (options.words.size() < 2)
    llm::refuse(usage);
  return options;
}

void run(Options options) {
  const auto number = [&](const char *name) { return static_cast<int>(options.numbers[name].value); };
  const std::filesystem::path folder = options.words[0];
  const llm::Config config(folder / "config.json");
  const llm::Checkpoint checkpoint(folder);
  const llm::Tokenizer tokenizer(folder / "tokenizer.json");
  const std::string &weights = options.texts["--weights"];
  if (!weights.empty() && weights != "bf16" && weights != "fp8")
    llm::refuse("--weights needs bf16 or fp8, not `", weights, "`");
  const bool as8Bits = weights.empty() ? checkpoint.isQuantised() : weights == "fp8";
  const bool byNumbers = options.flags["--numbers"], byGraphs = !options.flags["--no-graphs"];
  // Never freed: if one device fails, others wait for it, and to free their memory would wait, too.
  static llm::Engine &engine = *new llm::Engine(
      checkpoint, config,
      {number("--devices"), number("--pages"), number("--sequences"), number("--rows"), as8Bits, byGraphs});
  if (const std::string &file = options.texts["--logits"]; !file.empty())
    engine.logits.open(file, std::ios::binary);
  const std::vector<std::string> prompts(options.words.begin() + 1, options.words.end());
  llm::Sampling sampling = {static_cast<float>(options.numbers["--temperature"].value),
                            static_cast<float>(options.numbers["--top-p"].value), number("--top-k"),
                            static_cast<uint64_t>(options.numbers["--seed"].value)};
  for (const std::string &prompt : prompts) {
    std::vector<int> tokens = config.begin;
    if (byNumbers)
      tokens = llm::tokensOf(llm::Json::parse("[" + prompt + "]"), "a token of a prompt");
    else
      tokenizer.encode(prompt, tokens);
    engine.add(tokens, number("--tokens"), sampling);
    ++sampling.seed;
  }
  while (engine.step())
    ;
  for (size_t i = 0; i < prompts.size(); ++i) {
    std::string said;
    for (int token : engine.answers[i])
      said += byNumbers ? (said.empty() ? "" : ",") + std::to_string(token) : tokenizer.decode(token);
    std::cout << (byNumbers ? "" : prompts[i] + "|") << said << "\n";
  }
  const llm::Counts &c = engine.counts;
  std::fprintf(stderr,
               "prompts      %d with %d tokens, %d of them from known pages\nnew tokens   %d\n"
               "steps        %d, %d of them read prompts; %d graphs on each device\n"
               "a step       %.2f ms of the host, %.3f ms of the device\n",
               c.prompts, c.promptTokens, c.known, c.newTokens, c.steps, c.reads, c.graphs, c.host / c.steps,
               c.device / c.steps);
}

} // namespace

int main(int count, char **words) {
  try {
    run(parse(count, words));
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "llm: " << error.what() << std::endl;
    std::_Exit(1); // a device may never be done
  }
}
