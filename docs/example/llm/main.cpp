// llm MODEL [OPTIONS] PROMPT ...: what a model says after each prompt. At the end, a table on stderr.
#include <cmath>
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
  --numbers             prompts and answers are 1,2,3        --seed N (0)          of the first prompt; then N + 1, ...)";

struct Options {
  std::string model, weights, logits;
  std::vector<std::string> prompts;
  double tokens = 32, sequences = 8, pages = 256, rows = 512, devices = 1;
  double temperature = 0, topK = 0, topP = 1, seed = 0;
  bool numbers = false, graphs = true;
};

Options parse(int count, char **words) {
  Options options;
  const double many = 1 << 26;
  const struct {
    const char *name;
    double *value;
    double least, most;
    bool whole;
  } known[] = {{"--tokens", &options.tokens, 1, many, true}, {"--sequences", &options.sequences, 1, 4096, true},
               {"--pages", &options.pages, 1, many, true},   {"--rows", &options.rows, 1, 65536, true},
               {"--devices", &options.devices, 1, 8, true},  {"--temperature", &options.temperature, 0, 1000, false},
               {"--top-k", &options.topK, 0, many, true},    {"--top-p", &options.topP, 0, 1, false},
               {"--seed", &options.seed, 0, 0x1p53, true}};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i], value = i + 1 < count ? words[i + 1] : "";
    const auto option = std::find_if(std::begin(known), std::end(known), [&](auto &o) { return word == o.name; });
    if (option != std::end(known)) {
      char *end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (value.empty() || *end || !(number >= option->least && number <= option->most) ||
          (option->whole && number != std::floor(number)))
        llm::refuse(word + " needs a " + (option->whole ? "whole number" : "number") + " from " +
                    std::to_string(static_cast<int>(option->least)) + " to " +
                    std::to_string(static_cast<int64_t>(option->most)) + ", not `" + value + "`");
      *option->value = number, ++i;
    } else if (word == "--weights" && (value == "bf16" || value == "fp8"))
      options.weights = words[++i];
    else if (word == "--numbers")
      options.numbers = true;
    else if (word == "--no-graphs")
      options.graphs = false;
    else if (word == "--logits" && !value.empty())
      options.logits = words[++i];
    else if (word.rfind("--", 0) == 0)
      llm::refuse(word + (word == "--weights"  ? " needs bf16 or fp8"
                          : word == "--logits" ? " needs a file"
                                               : " is not an option"));
    else if (options.model.empty())
      options.model = word;
    else
      options.prompts.push_back(word);
  }
  if (options.prompts.empty())
    llm::refuse(usage);
  return options;
}

std::vector<int> numbersOf(const llm::Json &list, const std::string &what) {
  std::vector<int> found; // none of null
  for (const llm::Json &number : list.is_null()    ? llm::Json::array()
                                 : list.is_array() ? list
                                                   : llm::Json::array({list})) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() > INT32_MAX)
      llm::refuse(what + " is not made of numbers of tokens: " + number.dump());
    found.push_back(number);
  }
  return found;
}

void tell(const llm::Counts &counts) {
  std::fprintf(stderr,
               "prompts      %d with %d tokens, %d of them from known pages\nnew tokens   %d\n"
               "steps        %d, %d of them read prompts; %d graphs on each device\n"
               "a step       %.2f ms of the host, %.3f ms of the device\n",
               counts.prompts, counts.promptTokens, counts.known, counts.newTokens, counts.steps, counts.reads,
               counts.graphs, counts.host / counts.steps, counts.device / counts.steps);
}

void run(const Options &options) {
  const llm::Checkpoint checkpoint(options.model);
  const llm::Config config(checkpoint.config);
  const llm::Tokenizer tokenizer(options.model + "/tokenizer.json");
  const auto integer = [](double number) { return static_cast<int>(number); };
  std::vector<llm::Request> requests;
  for (const std::string &prompt : options.prompts) {
    std::vector<int> tokens;
    if (options.numbers) {
      const llm::Json list = llm::Json::parse("[" + prompt + "]", nullptr, false);
      tokens = numbersOf(list.is_discarded() ? llm::Json(prompt) : list, "a prompt");
    } else {
      tokens = tokenizer.encode(prompt);
      const std::vector<int> begin = numbersOf(checkpoint.config.value("bos_token_id", llm::Json()), "`bos_token_id`");
      tokens.insert(tokens.begin(), begin.begin(), begin.end());
    }
    const auto seed = static_cast<uint64_t>(options.seed) + requests.size();
    requests.push_back(
        {tokens,
         integer(options.tokens),
         {static_cast<float>(options.temperature), static_cast<float>(options.topP), integer(options.topK), seed}});
  }
  std::vector<std::string> said(requests.size());
  llm::Engine engine(
      checkpoint, config, options.weights.empty() ? checkpoint.isQuantised() : options.weights == "fp8",
      integer(options.devices), integer(options.pages), integer(options.sequences), integer(options.rows),
      numbersOf(checkpoint.config.value("eos_token_id", llm::Json()), "`eos_token_id`"),
      [&](int number, int token, bool) {
        std::string &text = said[static_cast<size_t>(number)];
        text += options.numbers ? (text.empty() ? "" : ",") + std::to_string(token) : tokenizer.decode(token);
      });
  for (llm::Request &request : requests)
    engine.add(std::move(request));
  engine.byGraphs = options.graphs;
  if (!options.logits.empty())
    engine.logits.open(options.logits, std::ios::binary);
  while (engine.step())
    ;
  for (size_t i = 0; i < said.size(); ++i)
    std::cout << (options.numbers ? "" : options.prompts[i] + "|") << said[i] << "\n";
  tell(engine.counts);
}

} // namespace

int main(int count, char **words) {
  try {
    run(parse(count, words));
    return 0;
  } catch (const std::bad_alloc &) {
    std::cerr << "llm: there is not enough memory\n";
  } catch (const std::exception &error) {
    std::cerr << "llm: " << error.what() << "\n";
  }
  return 1;
}
