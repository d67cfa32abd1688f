// Sequences that join and leave: each step either reads the prompts of those that wait, or gives every running sequence one
// token. A step of one token each is a graph on each device, captured once for each number of sequences.
#pragma once

#include <chrono>
#include <cstdio>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <thread>

#include <fly/comm.hpp>

#include "model.hpp"

namespace llm {

/// How tokens are drawn. A token depends on the logits, the seed, and its place in the sequence, and on no other sequence.
struct Sampling {
  float temperature = 0; // the best token
  float topP = 1;        // all
  int topK = 0;          // all
  uint64_t seed = 0;
};

struct Request {
  std::vector<int> tokens; // the prompt
  int most = 16;           // new tokens
  Sampling sampling;
};

/// Calls `work(rank)` with each device as the current one, in a thread of its own, and returns when all are done.
inline void onEach(int devices, const std::function<void(int)> &work) {
  std::vector<std::exception_ptr> failures(static_cast<size_t>(devices));
  std::vector<std::thread> threads;
  const auto attempt = [&](int rank) {
    try {
      fly::check(fly_set_device(rank));
      work(rank);
    } catch (...) {
      failures[static_cast<size_t>(rank)] = std::current_exception();
    }
  };
  for (int rank = 1; rank < devices; ++rank)
    threads.emplace_back(attempt, rank);
  attempt(0);
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

struct Counts {
  int prompts = 0, promptTokens = 0, known = 0, newTokens = 0; // known: tokens of prompts that a known page had
  int reads = 0, steps = 0, graphs = 0;                        // reads: steps that read prompts
  double host = 0, device = 0;                                 // ms; the device's are those of its events
};

class Engine {
public:
  /// `told(number, token, last)` is called with each new token of a request.
  using Told = std::function<void(int number, int token, bool last)>;

  Engine(const Checkpoint &checkpoint, const Config &config, bool as8Bits, int devices, int pageCount,
         int mostSequences, int mostRows, std::vector<int> ends, Told told)
      : devices(devices), config(config), pages(pageCount), mostSequences(mostSequences),
        mostRows(std::max(mostRows, mostSequences)),
        tableRow(std::min(pageCount, (config.limit + pageRows - 1) / pageRows)), ends(std::move(ends)),
        told(std::move(told)), parts(static_cast<size_t>(devices)) {
    Batch none;
    host.resize(place(none, nullptr));
    int there = 0;
    fly::check(fly_device_count(&there));
    if (devices > there || (devices != 1 && devices != 2 && devices != 4 && devices != 8))
      refuse("1, 2, 4 or 8 devices can share a model, not " + std::to_string(devices) + "; there are " +
             std::to_string(there));
    for (int shared : {config.heads, config.kv, config.inter})
      if (shared % devices)
        refuse(std::to_string(config.heads) + " heads, " + std::to_string(config.kv) + " of keys, and " +
               std::to_string(config.inter) + " columns between two products do not all divide by " +
               std::to_string(devices) + " devices");
    const size_t count = static_cast<size_t>(this->mostRows) * static_cast<size_t>(config.hidden);
    onEach(devices, [&](int rank) {
      auto part = std::make_unique<Part>(checkpoint, config, as8Bits, pageCount, rank, devices, host.size());
      part->scratch.emplace(count, static_cast<size_t>(mostSequences), static_cast<size_t>(config.vocab),
                            mostWorkspace(part->model));
      parts[static_cast<size_t>(rank)] = std::move(part);
    });
    if (devices == 1)
      return;
    std::vector<int> all(static_cast<size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    ranks.emplace(all);
    const auto memory = ranks->allocate<fly_bf16>(count);
    const auto temporary = ranks->allocate<unsigned char>(fly::comm::temporary_bytes(2 * count, devices));
    for (int rank : all) {
      Scratch &scratch = *parts[static_cast<size_t>(rank)]->scratch;
      scratch.part = memory.span(rank), scratch.parts = memory.pointers(rank);
      scratch.temporary = temporary.pointers(rank), scratch.signals = ranks->signals(rank);
    }
  }

  int add(Request request) {
    for (int token : request.tokens)
      if (token < 0 || token >= config.vocab)
        refuse("token " + std::to_string(token) + " of a prompt is not in the vocabulary of " +
               std::to_string(config.vocab));
    if (request.tokens.empty() || static_cast<int>(request.tokens.size()) > mostRows)
      refuse("a prompt has 1 to " + std::to_string(mostRows) + " tokens, not " + std::to_string(request.tokens.size()));
    const int64_t end = static_cast<int64_t>(request.tokens.size()) + request.most;
    if (end > config.limit || end > tableRow * pageRows)
      refuse("a sequence has at most " + std::to_string(std::min(config.limit, tableRow * pageRows)) + " tokens, not " +
             std::to_string(end));
    ++counts.prompts, counts.promptTokens += static_cast<int>(request.tokens.size());
    waiting.push_back({next, std::move(request.tokens), request.most, {}, 0, request.sampling});
    return next++;
  }

  /// One step; false if there is nothing to do.
  bool step() {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Sequence *> batch = admit();
    if (!batch.empty())
      ++counts.reads;
    else
      for (Sequence &sequence : running)
        batch.push_back(&sequence);
    if (batch.empty())
      return false;
    const Batch asked = fill(batch);
    try {
      onEach(devices, [&](int rank) { launch(*parts[static_cast<size_t>(rank)], asked); });
    } catch (const std::exception &error) {
      if (!ranks)
        throw;
      std::fprintf(stderr, "llm: %s\n",
                   error.what()); // other devices wait for this one: to free their memory would wait, too
      std::_Exit(1);
    }
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
    for (int rank = devices; rank-- > 0;)
      ranks ? ranks->wait(rank, parts[static_cast<size_t>(rank)]->stream, 600) : parts[0]->stream.synchronize();
    std::vector<int32_t> found(batch.size());
    if (logits.is_open()) {
      const auto rows =
          parts[0]->scratch->logits.subspan(0, found.size() * static_cast<size_t>(config.vocab)).to_host();
      logits.write(reinterpret_cast<const char *>(rows.data()), static_cast<std::streamsize>(rows.size() * 4));
    }
    float device = 0;
    fly::check(fly_copy_to_host(found.data(), parts[0]->scratch->tokens, found.size() * 4));
    fly::check(fly_event_milliseconds(&device, parts[0]->events[0], parts[0]->events[1]));
    counts.host += passed.count(), counts.device += device, ++counts.steps;
    counts.newTokens += static_cast<int>(batch.size()), counts.graphs = static_cast<int>(parts[0]->graphs.size());
    for (size_t i = 0; i < batch.size(); ++i)
      append(*batch[i], found[i]);
    running.remove_if([&](Sequence &sequence) { return sequence.done; });
    return true;
  }

  Counts counts;
  bool byGraphs = true;
  std::ofstream logits; // if it is open: those of each token, in f32

private:
  struct Sequence {
    int number;
    std::vector<int> tokens;
    int most; // that may still come
    std::vector<int> pages;
    int written; // rows of the cache
    Sampling sampling;
    bool done = false;
  };

  /// What each device has.
  struct Part {
    Part(const Checkpoint &checkpoint, const Config &config, bool as8Bits, int pageCount, int rank, int world,
         size_t bytes)
        : model(checkpoint, config, pageCount, as8Bits, rank, world), arrays(bytes) {
      for (fly_event &event : events)
        fly::check(fly_event_create(&event));
    }
    ~Part() {
      for (fly_event event : events)
        fly_event_destroy(event);
    }
    Model model;
    fly::stream stream;
    fly::buffer<unsigned char> arrays;
    std::optional<Scratch> scratch;
    std::map<std::pair<int, bool>, fly::graph> graphs; // of so many sequences; whether tokens are drawn
    fly_event events[2] = {};
  };

  /// Sequences that can begin now, each with the pages that it may need.
  std::vector<Sequence *> admit() {
    std::vector<Sequence *> found;
    int rows = 0;
    while (!waiting.empty() && static_cast<int>(running.size()) < mostSequences) {
      Sequence &first = waiting.front();
      first.pages = pages.known(first.tokens);
      first.written = static_cast<int>(first.pages.size()) * pageRows;
      const int count = static_cast<int>(first.tokens.size());
      const int needed = (count + first.most + pageRows - 1) / pageRows - static_cast<int>(first.pages.size());
      if (rows + count - first.written > mostRows || needed > pages.available()) {
        pages.release(first.pages);
        if (running.empty() && found.empty() && rows == 0)
          refuse("the cache is too small for a sequence of " + std::to_string(count + first.most) + " tokens");
        break;
      }
      counts.known += first.written;
      for (int i = 0; i < needed; ++i)
        first.pages.push_back(pages.allocate());
      rows += count - first.written;
      running.push_back(std::move(first));
      waiting.pop_front();
      found.push_back(&running.back());
    }
    return found;
  }

  /// The arrays of a step in one block of memory; the block's bytes.
  size_t place(Batch &batch, unsigned char *base) const {
    const auto rows = static_cast<size_t>(mostRows), sequences = static_cast<size_t>(mostSequences);
    size_t end = 0;
    const auto next = [&](size_t count, auto &...spans) {
      const auto one = [&](auto &span) {
        using Element = std::remove_reference_t<decltype(*span.data())>;
        span = {reinterpret_cast<Element *>(base + end), count};
        end += (count * sizeof(Element) + 255) / 256 * 256;
      };
      (one(spans), ...);
    };
    next(rows, batch.positions, batch.slots, batch.ids), next(sequences + 1, batch.cu);
    next(sequences * static_cast<size_t>(tableRow), batch.table), next(sequences, batch.lengths, batch.last);
    next(sequences, batch.temperature, batch.topP, batch.topK, batch.seed, batch.offset);
    batch.tableRow = tableRow;
    return end;
  }

  /// Writes what the step needs into `host`.
  Batch fill(const std::vector<Sequence *> &batch) {
    Batch here;
    place(here, host.data());
    int row = 0;
    here.cu.data()[0] = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      Sequence &sequence = *batch[i];
      const int count = static_cast<int>(sequence.tokens.size());
      for (int position = sequence.written; position < count; ++position, ++row) {
        here.ids.data()[row] = sequence.tokens[static_cast<size_t>(position)];
        here.positions.data()[row] = position;
        here.slots.data()[row] =
            static_cast<int64_t>(sequence.pages[static_cast<size_t>(position / pageRows)]) * pageRows +
            position % pageRows;
      }
      here.mostNew = std::max(here.mostNew, count - sequence.written);
      here.mostKeys = std::max(here.mostKeys, count);
      here.cu.data()[i + 1] = row, here.lengths.data()[i] = count, here.last.data()[i] = row - 1;
      here.temperature.data()[i] = sequence.sampling.temperature, here.topP.data()[i] = sequence.sampling.topP;
      here.topK.data()[i] = sequence.sampling.topK, here.seed.data()[i] = sequence.sampling.seed;
      here.offset.data()[i] = static_cast<uint64_t>(count);
      here.isDrawn = here.isDrawn || sequence.sampling.temperature > 0;
      std::copy(sequence.pages.begin(), sequence.pages.end(), here.table.data() + i * static_cast<size_t>(tableRow));
      for (int end = sequence.written / pageRows * pageRows + pageRows; end <= count; end += pageRows)
        pages.full(sequence.pages, sequence.tokens,
                   static_cast<size_t>(end)); // when the step is done, which the next one waits for
      sequence.written = count;
    }
    here.rows = row, here.sequences = static_cast<int>(batch.size());
    return here;
  }

  /// Queues the step on one device. One of one token each is the graph of that many sequences.
  void launch(Part &part, const Batch &asked) {
    Batch batch = asked;
    place(batch, part.arrays.data());
    fly::check(fly_copy_to_device_async(part.arrays.data(), host.data(), host.size(), part.stream));
    fly::check(fly_event_record(part.events[0], part.stream));
    if (batch.mostNew > 1 || !byGraphs) {
      part.model.step(part.stream, batch, *part.scratch);
    } else {
      batch.mostKeys = tableRow * pageRows; // whatever lengths there will be
      auto graph = part.graphs.find({batch.sequences, batch.isDrawn});
      if (graph == part.graphs.end()) {
        fly::graph made(part.stream, [&] { part.model.step(part.stream, batch, *part.scratch); });
        graph = part.graphs.emplace(std::pair(batch.sequences, batch.isDrawn), std::move(made)).first;
      }
      graph->second.launch(part.stream);
    }
    fly::check(fly_event_record(part.events[1], part.stream));
  }

  void append(Sequence &sequence, int token) {
    sequence.tokens.push_back(token);
    sequence.done = --sequence.most == 0 || std::find(ends.begin(), ends.end(), token) != ends.end();
    told(sequence.number, token, sequence.done);
    if (sequence.done)
      pages.release(sequence.pages);
  }

  size_t mostWorkspace(const Model &model) const {
    Batch batch;
    size_t most = 0;
    batch.tableRow = tableRow, batch.mostKeys = tableRow * pageRows;
    for (batch.rows = 1; batch.rows <= mostRows; ++batch.rows) {
      batch.sequences = std::min(batch.rows, mostSequences);
      for (int mostNew : {1, batch.rows})
        if (batch.mostNew = mostNew; mostNew > 1 || batch.rows <= mostSequences)
          most = std::max(most, model.workspaceBytes(batch));
    }
    return most;
  }

  const int devices;
  const Config config;
  Pages pages;
  const int mostSequences, mostRows, tableRow;
  const std::vector<int> ends;
  const Told told;
  std::vector<unsigned char> host;
  std::vector<std::unique_ptr<Part>> parts; // by rank
  std::optional<fly::comm::group> ranks;
  std::deque<Sequence> waiting;
  std::list<Sequence> running;
  int next = 0;
};

} // namespace llm
