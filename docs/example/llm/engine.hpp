// Sequences that join and leave: each step either reads the prompts of those that wait, or gives every running sequence one
// token. A step of one token each is a graph, captured once for each number of sequences.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <optional>

#include "model.hpp"

namespace llm {

struct Request {
  std::vector<int> tokens; // the prompt
  int most = 16;           // new tokens
};

class Engine {
public:
  /// `told(number, token, last)` is called with each new token of a request.
  using Told = std::function<void(int number, int token, bool last)>;

  Engine(Model &model, int pageCount, int mostSequences, int mostRows, std::vector<int> ends, Told told)
      : model(model), pages(pageCount), mostSequences(mostSequences), mostRows(std::max(mostRows, mostSequences)),
        tableRow(std::min(pageCount, (model.config.limit + pageRows - 1) / pageRows)), ends(std::move(ends)),
        told(std::move(told)), host(layout(nullptr).second), device(host.size()),
        tokens(static_cast<size_t>(mostSequences)),
        scratch(static_cast<size_t>(this->mostRows), static_cast<size_t>(mostSequences),
                static_cast<size_t>(model.config.hidden), static_cast<size_t>(model.config.vocab), mostWorkspace()) {
    graphs.resize(static_cast<size_t>(mostSequences) + 1);
  }

  int add(Request request) {
    if (request.tokens.empty() || static_cast<int>(request.tokens.size()) > mostRows)
      throw std::runtime_error("a prompt has 1 to " + std::to_string(mostRows) + " tokens, not " +
                               std::to_string(request.tokens.size()));
    const int end = static_cast<int>(request.tokens.size()) + request.most;
    if (end > model.config.limit || end > tableRow * pageRows)
      throw std::runtime_error("a sequence has at most " +
                               std::to_string(std::min(model.config.limit, tableRow * pageRows)) + " tokens, not " +
                               std::to_string(end));
    waiting.push_back({next, std::move(request.tokens), request.most, {}, 0});
    return next++;
  }

  /// One step; false if there is nothing to do.
  bool step() {
    std::vector<Sequence *> batch = admit();
    const bool prefill = !batch.empty();
    if (!prefill)
      for (Sequence &sequence : running)
        batch.push_back(&sequence);
    if (batch.empty())
      return false;
    Batch asked = fill(batch);
    fly::check(fly_copy_to_device_async(device.data(), host.data(), host.size(), stream));
    if (asked.mostNew == 1)
      launch(asked);
    else
      model.step(stream, asked, scratch, tokens);
    std::vector<int32_t> found(batch.size());
    fly::check(fly_stream_synchronize(stream));
    fly::check(fly_copy_to_host(found.data(), tokens, found.size() * 4));
    for (size_t i = 0; i < batch.size(); ++i)
      append(*batch[i], found[i]);
    running.remove_if([&](Sequence &sequence) { return sequence.done; });
    ++steps;
    return true;
  }

  int steps = 0, captured = 0, shared = 0; // of tokens that a known page had

private:
  struct Sequence {
    int number;
    std::vector<int> tokens;
    int most; // that may still come
    std::vector<int> pages;
    int written; // rows of the cache
    bool done = false;
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
          throw std::runtime_error("the cache is too small for a sequence of " + std::to_string(count + first.most) +
                                   " tokens");
        break;
      }
      shared += first.written;
      for (int i = 0; i < needed; ++i)
        first.pages.push_back(pages.allocate());
      rows += count - first.written;
      running.push_back(std::move(first));
      waiting.pop_front();
      found.push_back(&running.back());
    }
    return found;
  }

  /// The arrays of a step in one block of memory: how `batch` has them, and the block's bytes.
  std::pair<Batch, size_t> layout(unsigned char *base) const {
    const auto rows = static_cast<size_t>(mostRows), sequences = static_cast<size_t>(mostSequences);
    size_t end = 0;
    const auto place = [&](auto *&pointer, size_t count) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(base + end);
      end += (count * sizeof *pointer + 255) / 256 * 256;
    };
    int64_t *positions, *slots;
    int32_t *ids, *cu, *lengths, *table, *last;
    place(positions, rows), place(slots, rows), place(ids, rows), place(cu, sequences + 1), place(lengths, sequences);
    place(table, sequences * static_cast<size_t>(tableRow)), place(last, sequences);
    Batch batch;
    batch.ids = {ids, rows}, batch.cu = {cu, sequences + 1}, batch.lengths = {lengths, sequences};
    batch.table = {table, sequences * static_cast<size_t>(tableRow)}, batch.last = {last, sequences};
    batch.positions = {positions, rows}, batch.slots = {slots, rows};
    batch.tableRow = tableRow;
    return {batch, end};
  }

  /// Writes what the step needs into `host`; returns the same on the device.
  Batch fill(const std::vector<Sequence *> &batch) {
    const Batch here = layout(host.data()).first;
    Batch there = layout(device.data()).first;
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
      there.mostNew = std::max(there.mostNew, count - sequence.written);
      there.mostKeys = std::max(there.mostKeys, count);
      here.cu.data()[i + 1] = row, here.lengths.data()[i] = count, here.last.data()[i] = row - 1;
      std::copy(sequence.pages.begin(), sequence.pages.end(), here.table.data() + i * static_cast<size_t>(tableRow));
      for (int end = sequence.written / pageRows * pageRows + pageRows; end <= count; end += pageRows)
        pages.full(sequence.pages, sequence.tokens,
                   static_cast<size_t>(end)); // when the step is done, which the next one waits for
      sequence.written = count;
    }
    there.rows = row, there.sequences = static_cast<int>(batch.size());
    return there;
  }

  /// A step of one token each, from the graph of that many sequences.
  void launch(Batch asked) {
    asked.mostKeys = tableRow * pageRows; // whatever lengths there will be
    std::optional<fly::graph> &graph = graphs[static_cast<size_t>(asked.sequences)];
    if (!graph) {
      model.step(stream, asked, scratch, tokens); // loads what is not loaded yet, which a capture cannot
      fly::check(fly_stream_synchronize(stream));
      graph.emplace(stream, [&] { model.step(stream, asked, scratch, tokens); });
      ++captured;
    }
    graph->launch(stream);
  }

  void append(Sequence &sequence, int token) {
    sequence.tokens.push_back(token);
    sequence.done = --sequence.most == 0 || std::find(ends.begin(), ends.end(), token) != ends.end();
    told(sequence.number, token, sequence.done);
    if (sequence.done)
      pages.release(sequence.pages);
  }

  size_t mostWorkspace() const {
    Batch batch = layout(nullptr).first;
    size_t most = 0;
    for (int sequences = 1; sequences <= mostSequences; ++sequences) {
      batch.sequences = batch.rows = sequences, batch.mostNew = 1, batch.mostKeys = tableRow * pageRows;
      most = std::max(most, model.workspaceBytes(batch));
    }
    batch.sequences = std::min(mostSequences, mostRows), batch.rows = batch.mostNew = mostRows;
    return std::max(most, model.workspaceBytes(batch));
  }

  Model &model;
  Pages pages;
  const int mostSequences, mostRows, tableRow;
  const std::vector<int> ends;
  const Told told;
  fly::stream stream;
  std::vector<unsigned char> host;
  fly::buffer<unsigned char> device;
  fly::buffer<int32_t> tokens;
  Scratch scratch;
  std::vector<std::optional<fly::graph>> graphs;
  std::deque<Sequence> waiting;
  std::list<Sequence> running;
  int next = 0;
};

} // namespace llm
