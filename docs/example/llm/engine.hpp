// Sequences that join and leave: each step either reads the prompts of those that wait, or gives every running sequence
// one token. A step of one token each is a graph on each device, captured once for each number of sequences.
#pragma once

#include <chrono>
#include <deque>
#include <fstream>
#include <list>
#include <memory>

#include <fly/comm.hpp>

#include "model.hpp"

namespace llm {

/// How tokens are drawn. A token depends on the logits, the seed, and its place in the sequence, on nothing else.
struct Sampling {
  float temperature = 0, topP = 1; // the best token; all
  int topK = 0;                    // all
  uint64_t seed = 0;
};

struct Counts {
  int prompts = 0, promptTokens = 0, known = 0, newTokens = 0; // known: tokens of prompts that a known page had
  int reads = 0, steps = 0, graphs = 0;                        // reads: steps that read prompts
  double host = 0, device = 0;                                 // ms; the device's are those of its events
};

class Engine {
public:
  Engine(const Checkpoint &checkpoint, const Config &whole, const Settings &asked)
      : config(whole), settings(asked), pages(asked.pages), ranks(ranksOf(whole, asked.devices)) {
    config.limit = std::min(config.limit, settings.pages * pageRows);
    settings.rows = std::max(settings.rows, settings.sequences);
    tableRow = pagesFor(config.limit);
    Batch none;
    host.resize(place(none, nullptr));
    const size_t count = size_t(settings.rows) * config.hidden;
    const auto memory = ranks.allocate<fly_bf16>(count);
    const auto temporary = ranks.allocate<unsigned char>(fly::comm::temporary_bytes(2 * count, settings.devices));
    parts.resize(settings.devices);
    ranks.on_each([&](int rank) {
      const Shared shared = {memory.span(rank), memory.pointers(rank), temporary.pointers(rank), ranks.signals(rank)};
      parts[rank] = std::make_unique<Part>(Model(checkpoint, config, settings, rank, shared), host.size());
    });
  }

  /// A prompt, and how many tokens may follow it. `answers` gets them.
  void add(std::vector<int> tokens, int most, const Sampling &sampling) {
    const int count = static_cast<int>(tokens.size());
    for (int token : tokens)
      if (token >= config.vocab)
        refuse("token ", token, " of a prompt is not in the vocabulary of ", config.vocab);
    if (count < 1 || count > settings.rows)
      refuse("a prompt has 1 to ", settings.rows, " tokens, not ", count);
    if (most > config.limit - count)
      refuse("a sequence has at most ", config.limit, " tokens, not ", int64_t(count) + most);
    ++counts.prompts, counts.promptTokens += count;
    waiting.push_back({answers.size(), std::move(tokens), most, sampling, {}, 0});
    answers.emplace_back();
  }

  /// One step; false if there is nothing to do.
  bool step() {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Sequence *> batch = admit();
    counts.reads += !batch.empty();
    if (batch.empty())
      for (Sequence &sequence : running)
        batch.push_back(&sequence);
    if (batch.empty())
      return false;
    const Batch asked = fill(batch);
    ranks.on_each([&](int rank) { launch(*parts[rank], asked); });
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
    for (int rank = settings.devices; rank-- > 0;) // the first device is the current one in the end
      ranks.wait(rank, parts[rank]->stream, 600);
    const Part &first = *parts[0];
    if (logits.is_open()) {
      const std::vector<float> rows = first.model.logits.subspan(0, batch.size() * config.vocab).to_host();
      logits.write(reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(float));
    }
    counts.host += passed.count(), counts.device += first.end.milliseconds_since(first.begin), ++counts.steps;
    counts.newTokens += batch.size(), counts.graphs = first.graphs.size();
    const std::vector<int32_t> found = first.model.tokens.subspan(0, batch.size()).to_host();
    for (size_t i = 0; i < batch.size(); ++i) {
      Sequence &sequence = *batch[i];
      sequence.tokens.push_back(found[i]), answers[sequence.number].push_back(found[i]);
      if (--sequence.most == 0 || std::count(config.ends.begin(), config.ends.end(), found[i]))
        pages.release(sequence.pages), sequence.most = 0;
    }
    running.remove_if([](const Sequence &sequence) { return sequence.most == 0; });
    return true;
  }

  Counts counts;
  std::vector<std::vector<int>> answers;
  std::ofstream logits; // if it is open: those of each token, in f32

private:
  struct Sequence {
    size_t number;
    std::vector<int> tokens;
    int most; // that may still come
    Sampling sampling;
    std::vector<int> pages;
    int written; // rows of the cache
  };

  /// What each device has.
  struct Part {
    Part(Model model, size_t bytes) : model(std::move(model)), arrays(bytes) {}
    Model model;
    fly::stream stream;
    fly::buffer<unsigned char> arrays;
    std::map<std::pair<int, bool>, fly::graph> graphs; // of so many sequences; whether tokens are drawn
    fly::event begin, end;
  };

  static std::vector<int> ranksOf(const Config &config, int devices) {
    int there = 0;
    fly::check(fly_device_count(&there));
    if (devices > there || (devices != 1 && devices != 2 && devices != 4 && devices != 8))
      refuse("1, 2, 4 or 8 devices can share a model, not ", devices, "; there are ", there);
    if (config.heads % devices || config.kv % devices || config.inter % devices)
      refuse(config.heads, " heads, ", config.kv, " of keys, and ", config.inter,
             " columns between two products do not all divide by ", devices, " devices");
    std::vector<int> all(devices);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  /// Sequences that can begin now, each with the pages that it may need.
  std::vector<Sequence *> admit() {
    std::vector<Sequence *> found;
    int rows = 0;
    while (!waiting.empty() && static_cast<int>(running.size()) < settings.sequences) {
      Sequence &first = waiting.front();
      first.pages = pages.known(first.tokens);
      const int count = static_cast<int>(first.tokens.size()), known = static_cast<int>(first.pages.size());
      const int needed = pagesFor(count + first.most) - known;
      first.written = known * pageRows;
      rows += count - first.written;
      if (rows > settings.rows || needed > pages.available()) {
        pages.release(first.pages);
        break;
      }
      counts.known += first.written;
      for (int i = 0; i < needed; ++i)
        first.pages.push_back(pages.allocate());
      running.push_back(std::move(first));
      waiting.pop_front();
      found.push_back(&running.back());
    }
    return found;
  }

  /// The arrays of a step in one block of memory; the block's bytes.
  size_t place(Batch &batch, unsigned char *base) const {
    const size_t rows = settings.rows, sequences = settings.sequences;
    size_t end = 0;
    const auto next = [&](size_t count, auto &...spans) {
      const auto one = [&](auto &span) {
        using Element = std::remove_reference_t<decltype(*span.data())>;
        span = {base != nullptr ? reinterpret_cast<Element *>(base + end) : nullptr, count};
        end += (count * sizeof(Element) + 255) / 256 * 256;
      };
      (one(spans), ...);
    };
    next(rows, batch.positions, batch.slots, batch.ids), next(sequences + 1, batch.cu);
    next(sequences * tableRow, batch.table), next(sequences, batch.lengths, batch.last);
    next(sequences, batch.temperature, batch.topP, batch.topK, batch.seed, batch.offset);
    batch.tableRow = tableRow;
    return end;
  }

  /// Writes what the step needs into `host`.
  Batch fill(const std::vector<Sequence *> &batch) {
    Batch here;
    place(here, host.data());
    here.cu[0] = 0;
    for (Sequence *sequence : batch) {
      const int count = static_cast<int>(sequence->tokens.size()), i = here.sequences++;
      here.mostNew = std::max(here.mostNew, count - sequence->written);
      here.mostKeys = std::max(here.mostKeys, count);
      for (int position = sequence->written; position < count; ++position, ++here.rows) {
        here.ids[here.rows] = sequence->tokens[position];
        here.positions[here.rows] = position;
        here.slots[here.rows] = int64_t(sequence->pages[position / pageRows]) * pageRows + position % pageRows;
      }
      here.cu[i + 1] = here.rows, here.lengths[i] = count, here.last[i] = here.rows - 1;
      std::copy(sequence->pages.begin(), sequence->pages.end(), here.table + i * tableRow);
      const Sampling &sampling = sequence->sampling;
      here.temperature[i] = sampling.temperature, here.topP[i] = sampling.topP, here.topK[i] = sampling.topK;
      here.seed[i] = sampling.seed, here.offset[i] = count;
      here.isDrawn = here.isDrawn || sampling.temperature > 0;
      for (int page = sequence->written / pageRows; page < count / pageRows; ++page)
        pages.full(sequence->pages, sequence->tokens, page); // once the step is done, which the next one waits for
      sequence->written = count;
    }
    return here;
  }

  /// Queues the step on one device. One of one token each is the graph of that many sequences.
  void launch(Part &part, Batch batch) {
    place(batch, part.arrays.data());
    fly::check(fly_copy_to_device_async(part.arrays.data(), host.data(), host.size(), part.stream));
    part.begin.record(part.stream);
    if (batch.mostNew > 1 || !settings.byGraphs) {
      part.model.step(part.stream, batch);
    } else {
      batch.mostKeys = tableRow * pageRows; // whatever lengths there will be
      const auto key = std::pair(batch.sequences, batch.isDrawn);
      if (!part.graphs.count(key))
        part.graphs.emplace(key, fly::graph(part.stream, [&] { part.model.step(part.stream, batch); }));
      part.graphs.at(key).launch(part.stream);
    }
    part.end.record(part.stream);
  }

  Config config;
  Settings settings;
  int tableRow;
  Pages pages;
  fly::comm::group ranks;
  std::vector<unsigned char> host;
  std::vector<std::unique_ptr<Part>> parts; // by rank
  std::deque<Sequence> waiting;
  std::list<Sequence> running;
};

} // namespace llm
