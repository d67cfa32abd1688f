// A decoder of the families Llama and Mixtral: a device's part of its weights, and one step of a batch. Devices share a model by
// heads, and by columns of what lies between the two products of a layer's second half; `delta` is summed over them.
#pragma once

#include "checkpoint.hpp"
#include "fp8.hpp"
#include "layer.hpp"
#include "moe.hpp"
#include "pages.hpp"
#include "parallel.hpp"

#ifndef LLM_HEAD // D of layer.fly and fp8.fly: `flyc build -D`
#define LLM_HEAD 64
#endif

namespace llm {

struct Config {
  explicit Config(const Json &file) {
    const auto known = [&](const char *name) { return file.contains(name) && !file[name].is_null(); };
    const auto whole = [&](const char *name, int otherwise = 0) {
      const Json found = known(name) || !otherwise ? file.value(name, Json()) : Json(unsigned(otherwise));
      if (!found.is_number_unsigned() || found.get<uint64_t>() < 1 || found.get<uint64_t>() > INT32_MAX)
        refuse(std::string("config.json: `") + name + "` must be a whole number from 1 on, not " + found.dump());
      return found.get<int>();
    };
    const auto real = [](const Json &place, const char *name, Json otherwise = Json()) {
      const Json found = place.value(name, otherwise);
      if (!found.is_number() || !(found.get<double>() > 0))
        refuse(std::string("config.json: `") + name + "` must be a number above 0, not " + found.dump());
      return found.get<double>();
    };
    const Json family = file.value("model_type", Json());
    if (family != "llama" && family != "mixtral")
      refuse("models of the family " + family.dump() + " are not supported; llama and mixtral are");
    hidden = whole("hidden_size"), heads = whole("num_attention_heads"), kv = whole("num_key_value_heads", heads);
    inter = whole("intermediate_size"), layers = whole("num_hidden_layers"), vocab = whole("vocab_size");
    limit = whole("max_position_embeddings"), eps = static_cast<float>(real(file, "rms_norm_eps"));
    head = whole("head_dim", std::max(hidden / heads, 1)), tied = file.value("tie_word_embeddings", Json()) == true;
    Json rope = file.value("rope_parameters", file); // where newer files have what follows
    rope = rope.is_object() ? rope : file;
    theta = real(rope, "rope_theta", 10000.0);
    if (known("rope_scaling") || (file.contains("rope_parameters") && rope.value("rope_type", "default") != "default"))
      refuse("config.json: `rope_scaling` is not supported");
    for (const char *name : {"attention_bias", "mlp_bias", "sliding_window"})
      if (known(name) && file[name] != false && (!file[name].is_number() || file[name] < limit))
        refuse(std::string("config.json: `") + name + "` is not supported");
    if (file.value("hidden_act", Json("silu")) != "silu")
      refuse("config.json: `hidden_act` must be \"silu\", not " + file["hidden_act"].dump());
    if (heads % kv)
      refuse("config.json: " + std::to_string(heads) + " heads do not divide by " + std::to_string(kv) + " of keys");
    if (head != LLM_HEAD)
      refuse("config.json: heads have " + std::to_string(head) + " elements; the kernels are compiled for " +
             std::to_string(LLM_HEAD));
    if (family == "mixtral") {
      experts = whole("num_local_experts");
      if (const int chosen = whole("num_experts_per_tok"); experts != 8 || chosen != 2) // E and K of moe.fly
        refuse("config.json: the best " + std::to_string(chosen) + " of " + std::to_string(experts) +
               " experts; the kernels are compiled for the best 2 of 8");
    }
  }
  int hidden, heads, kv, inter, layers, vocab, limit, head, experts = 0; // experts: 0 for Llama
  float eps;
  double theta;
  bool tied;
};

/// What a step is asked: the new tokens of all sequences, one after the other, on the device.
struct Batch {
  int rows = 0, sequences = 0, tableRow = 0; // new tokens; sequences; columns of `table`
  int mostNew = 0, mostKeys = 0;             // of one sequence, at most
  bool isDrawn = false;                      // else each token is the best one
  fly::device_span<int32_t> ids, cu, lengths, table, last, topK;
  fly::device_span<int64_t> positions, slots;
  fly::device_span<float> temperature, topP;
  fly::device_span<uint64_t> seed, offset;
};

/// Memory that a step needs beside the weights, for at most so many rows and sequences.
struct Scratch {
  Scratch(size_t elements, size_t sequences, size_t vocab, size_t workspaceBytes)
      : h(elements), sums(elements), delta(elements), own(elements), logits(sequences * vocab), logprobs(sequences),
        workspace(workspaceBytes), tokens(sequences), part(own) {}
  fly::buffer<fly_bf16> h, sums, delta, own;
  fly::buffer<float> logits, logprobs;
  fly::buffer<unsigned char> workspace;
  fly::buffer<int32_t> tokens;
  fly::device_span<fly_bf16> part;                                       // `own`, or memory that all devices access
  const void *parts = nullptr, *temporary = nullptr, *signals = nullptr; // of all devices: fly/comm.hpp
};

/// Bytes that a kernel takes as elements of the type that they have on this architecture.
struct Weights {
  Weights() = default;
  explicit Weights(const std::vector<unsigned char> &bytes) : memory(bytes) {}
  fly::buffer<unsigned char> memory;
  template <typename T> operator fly::device_span<const T>() const {
    return {reinterpret_cast<const T *>(memory.data()), memory.size() / sizeof(T)};
  }
};
struct Linear {
  Weights weights;
  fly::buffer<float> scales; // of the rows, if they have 8 bits
};

/// The part of device `rank` of `world`; embeddings, norms and the router are on each, the last product is on the first.
class Model {
public:
  Model(const Checkpoint &checkpoint, const Config &whole, int pages, bool as8Bits, int rank, int world)
      : config(whole), checkpoint(checkpoint), rank(rank), world(world), as8Bits(as8Bits) {
    Config &c = config;
    c.heads /= world, c.kv /= world, c.inter /= world;
    c.limit = std::min(c.limit, pages * pageRows);
    for (fly_module *module : {layer_module(), fp8_module(), moe_module(), parallel_module()}) // a capture cannot
      fly::check(fly_module_load(module));
    const auto vector = [&](const std::string &name) { return Weights(checkpoint.bf16(name, {c.hidden})); };
    const auto rows = [&](const std::string &name, int64_t n) { return Weights(checkpoint.bf16(name, {n, c.hidden})); };
    embeddings = rows("model.embed_tokens.weight", c.vocab);
    const int64_t q = int64_t(c.heads) * c.head, kv = int64_t(c.kv) * c.head;
    for (int i = 0; i < c.layers; ++i) {
      const std::string name = "model.layers." + std::to_string(i) + ".", attn = name + "self_attn.",
                        mlp = name + "mlp.", experts = name + "block_sparse_moe.";
      Layer &layer = layers.emplace_back();
      layer.norm1 = vector(name + "input_layernorm.weight");
      layer.norm2 = vector(name + "post_attention_layernorm.weight");
      const auto attended = [&](auto layout) {
        return layout(cacheOf<fp8_PagedCache>(layer), 1, c.hidden, c.heads, 1, 1, c.limit, 1, 1, c.eps, 1.0f);
      };
      layer.qkv = product(0, {{attn + "q_proj", q}, {attn + "k_proj", kv}, {attn + "v_proj", kv}}, c.hidden,
                          [&] { return attended(fp8::attend_layout_of_w_qkv); });
      layer.o = product(1, {{attn + "o_proj", c.hidden}}, q, [&] { return attended(fp8::attend_layout_of_w_o); });
      if (c.experts) {
        layer.router = rows(experts + "gate.weight", c.experts);
        takeExperts(layer, experts + "experts.");
      } else {
        layer.up = product(0, {{mlp + "gate_proj", c.inter}, {mlp + "up_proj", c.inter}}, c.hidden,
                           [&] { return fp8::feed_layout_of_w_gate_up(1, c.hidden, c.inter, c.eps); });
        layer.down = product(1, {{mlp + "down_proj", c.hidden}}, c.inter,
                             [&] { return fp8::feed_layout_of_w_down(1, c.hidden, c.inter, c.eps); });
      }
      for (fly::buffer<fly_bf16> *cache : {&layer.keys, &layer.values}) { // rows that nobody has written are read
        *cache = fly::buffer<fly_bf16>(static_cast<size_t>(pages * kv) * pageRows);
        fly::check(fly_fill_zero(*cache, cache->size_bytes(), nullptr));
      }
    }
    norm = vector("model.norm.weight");
    if (rank == 0 && !c.tied)
      out = rows("lm_head.weight", c.vocab);
    makeAngles();
    fly::synchronize();
  }

  /// Queues a step. The first device has the logits of the last row of each sequence, and chooses a token of each.
  void step(fly_stream stream, const Batch &batch, Scratch &s) {
    const Config &c = config;
    const float scale = 1.0f / std::sqrt(static_cast<float>(c.head));
    const bool reads = batch.mostNew > 1;
    layer::start(stream, embeddings, batch.ids, s.h, s.delta, batch.rows, c.hidden, c.vocab);
    for (Layer &layer : layers) {
      const auto attend = [&](auto function, auto cache, const auto &...weights) {
        function(stream, s.workspace, s.delta, s.h, layer.norm1, weights..., angles, batch.positions, batch.slots,
                 cache, batch.cu, batch.lengths, batch.table, s.sums, s.part, batch.rows, c.hidden, c.heads,
                 batch.sequences, batch.tableRow, c.limit, batch.mostNew, batch.mostKeys, c.eps, scale);
      };
      if (as8Bits)
        attend(reads ? fp8::prefill : fp8::attend, cacheOf<fp8_PagedCache>(layer), layer.qkv.weights, layer.o.weights,
               layer.qkv.scales, layer.o.scales);
      else
        attend(reads ? layer::prefill : layer::attend, cacheOf<layer_PagedCache>(layer), layer.qkv.weights,
               layer.o.weights);
      const fly::device_span<fly_bf16> delta = total(stream, s, batch.rows), y = world > 1 ? s.part : s.delta;
      const auto feed = [&](auto function, const auto &...sizes) {
        return [&, function, sizes...](const auto &...weights) {
          function(stream, s.workspace, delta, s.sums, layer.norm2, weights..., s.h, y, batch.rows, c.hidden, c.inter,
                   sizes..., c.eps);
        };
      };
      const Weights &up = layer.up.weights, &down = layer.down.weights;
      const fly::buffer<float> &ups = layer.up.scales, &downs = layer.down.scales;
      if (as8Bits && c.experts)
        feed(fp8::feed_experts, c.experts)(layer.router, up, down, ups, downs);
      else if (c.experts)
        feed(moe::feed_experts, c.experts)(layer.router, up, down);
      else if (as8Bits)
        feed(fp8::feed)(up, down, ups, downs);
      else
        feed(layer::feed)(up, down);
      if (world > 1)
        total(stream, s, batch.rows);
    }
    if (rank > 0)
      return;
    layer::head(stream, s.workspace, s.delta, s.h, batch.last, norm, c.tied ? embeddings : out, s.logits, batch.rows,
                batch.sequences, c.hidden, c.vocab, c.eps);
    if (batch.isDrawn)
      layer::drawn(stream, s.workspace, s.logits, parametersOf(batch), s.tokens, s.logprobs, batch.sequences, c.vocab,
                   c.vocab);
    else
      layer::best(stream, s.workspace, s.logits, s.tokens, batch.sequences, c.vocab, c.vocab);
  }

  /// Bytes of workspace that a step needs.
  size_t workspaceBytes(const Batch &batch) const {
    const Config &c = config;
    const bool reads = batch.mostNew > 1;
    const int m = batch.rows, b = batch.sequences;
    const auto attend = [&](auto function, auto cache) {
      return function(cache, m, c.hidden, c.heads, b, batch.tableRow, c.limit, batch.mostNew, batch.mostKeys, c.eps,
                      1.0f);
    };
    return std::max(
        {as8Bits
             ? attend(reads ? fp8::prefill_workspace_bytes : fp8::attend_workspace_bytes, cacheOf<fp8_PagedCache>({}))
             : attend(reads ? layer::prefill_workspace_bytes : layer::attend_workspace_bytes,
                      cacheOf<layer_PagedCache>({})),
         c.experts ? (as8Bits ? fp8::feed_experts_workspace_bytes
                              : moe::feed_experts_workspace_bytes)(m, c.hidden, c.inter, c.experts, c.eps)
                   : (as8Bits ? fp8::feed_workspace_bytes : layer::feed_workspace_bytes)(m, c.hidden, c.inter, c.eps),
         layer::head_workspace_bytes(m, b, c.hidden, c.vocab, c.eps),
         layer::drawn_workspace_bytes(parametersOf(batch), b, c.vocab, c.vocab),
         layer::best_workspace_bytes(b, c.vocab, c.vocab)});
  }

  Config config; // of this device

private:
  struct Layer {
    Weights norm1, norm2, router;
    Linear qkv, o, up, down;
    fly::buffer<fly_bf16> keys, values;
  };

  /// What all devices have in `part`, added up.
  fly::device_span<fly_bf16> total(fly_stream stream, Scratch &s, int rows) const {
    if (world == 1)
      return s.part;
    const auto sum = world == 2 ? parallel::sum_2 : world == 4 ? parallel::sum_4 : parallel::sum_8;
    sum(stream, s.parts, s.temporary, s.signals, s.delta, s.part.data(), rank, rows * config.hidden);
    return s.delta;
  }

  template <typename Cache> Cache cacheOf(const Layer &layer) const {
    const int64_t page = static_cast<int64_t>(pageRows) * config.kv * config.head;
    return {layer.keys, layer.values, nullptr, nullptr, page, page, 0, 0, config.kv};
  }

  static layer_Parameters parametersOf(const Batch &batch) {
    return {batch.temperature, batch.topK, batch.topP, nullptr, batch.seed, batch.offset};
  }

  /// This device's rows (axis 0) or columns of weights, one below the other; `parts` says how many rows each has.
  template <typename Layout>
  Linear product(int axis, const std::vector<std::pair<std::string, int64_t>> &parts, int64_t columns, Layout layout) {
    Rows all;
    int64_t rows = 0;
    for (const auto &[name, count] : parts) {
      take(all, axis, name, count, columns);
      rows += count;
    }
    if (!as8Bits)
      return upload(std::move(all));
    const fly_layout to = layout();
    return upload(std::move(all), &to, {rows, columns});
  }

  void take(Rows &to, int axis, const std::string &name, int64_t rows, int64_t columns) const {
    const Shape shape = {axis ? rows : rows * world, axis ? columns * world : columns};
    checkpoint.take(to, name + ".weight", shape, axis ? 0 : rank * rows, rows, axis ? rank * columns : 0, columns,
                    as8Bits);
  }

  /// Rows of the first weight: 16 of the gate, the 16 that they multiply, and so on. Its scales: all of the gate, then the others.
  void takeExperts(Layer &layer, const std::string &place) {
    const Config &c = config;
    const int64_t padded = (c.inter + 15) / 16 * 16;
    const size_t run = static_cast<size_t>(16 * c.hidden * (as8Bits ? 1 : 2)),
                 size = static_cast<size_t>(padded / 16) * run;
    Rows both, down;
    for (int expert = 0; expert < c.experts; ++expert) {
      const std::string name = place + std::to_string(expert) + ".";
      Rows halves[2];
      take(halves[0], 0, name + "w1", c.inter, c.hidden), take(halves[1], 0, name + "w3", c.inter, c.hidden);
      for (Rows &half : halves) {
        half.bytes.resize(size);
        both.scales.insert(both.scales.end(), half.scales.begin(), half.scales.end());
      }
      for (size_t at = 0; at < size; at += run)
        for (const Rows &half : halves)
          both.bytes.insert(both.bytes.end(), &half.bytes[at], &half.bytes[at] + run);
      take(down, 1, name + "w2", c.hidden, c.inter);
    }
    const fly_layout up = (as8Bits ? fp8::feed_experts_layout_of_w1
                                   : moe::feed_experts_layout_of_w1)(1, c.hidden, c.inter, c.experts, c.eps);
    const fly_layout second = (as8Bits ? fp8::feed_experts_layout_of_w2
                                       : moe::feed_experts_layout_of_w2)(1, c.hidden, c.inter, c.experts, c.eps);
    layer.up = upload(std::move(both), &up, {c.experts, 2 * padded, c.hidden});
    layer.down = upload(std::move(down), &second, {c.experts, c.hidden, c.inter});
  }

  /// With a layout, row after row is put in its order. gfx942 has FNUZ: the same bits are half the number, and those of -0 are NaN.
  static Linear upload(Rows rows, const fly_layout *layout = nullptr, const Shape &extents = {}) {
    if (!rows.scales.empty() && fly::architecture() == "gfx942") {
      for (unsigned char &code : rows.bytes)
        code = (code & 0x7f) == 0x7f ? 0x80 : code == 0x80 ? 0 : code;
      for (float &scale : rows.scales)
        scale *= 2;
    }
    if (layout) {
      fly_layout from;
      fly_layout_rows(&from, layout->bits, static_cast<uint32_t>(extents.size()), extents.data());
      std::vector<unsigned char> ordered(static_cast<size_t>(fly_layout_bytes(layout)));
      fly::check(fly_layout_copy(ordered.data(), layout, rows.bytes.data(), &from));
      rows.bytes = std::move(ordered);
    }
    return {Weights(rows.bytes), rows.scales.empty() ? fly::buffer<float>() : fly::buffer<float>(rows.scales)};
  }

  void makeAngles() {
    const int half = config.head / 2;
    std::vector<float> table;
    for (int position = 0; position < config.limit; ++position)
      for (int i = 0; i < config.head; ++i) { // cosines, then sines
        const double angle = position * std::pow(config.theta, -static_cast<double>(i % half) / half);
        table.push_back(static_cast<float>(i < half ? std::cos(angle) : std::sin(angle)));
      }
    angles = fly::buffer<float>(table);
  }

  const Checkpoint &checkpoint;
  const int rank, world;
  const bool as8Bits;
  std::vector<Layer> layers;
  Weights embeddings, norm, out;
  fly::buffer<float> angles;
};

} // namespace llm
