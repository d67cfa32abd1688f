// A decoder of the families Llama and Mixtral: a device's part of its weights, and one step of a batch. Devices share a
// model by heads, and by columns of what lies between the two products of a layer's second half; `delta` is summed over
// them.
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

/// The tokens of a list, of one number, or of null.
inline std::vector<int> tokensOf(const Json &json, const std::string &what) {
  std::vector<int> found;
  for (const Json &number : json)
    found.push_back(static_cast<int>(whole(number, what)));
  return found;
}

struct Config {
  explicit Config(const std::filesystem::path &path) {
    readJson(path, [&](const Json &file) {
      const auto has = [&](const char *name) { return file.contains(name) && !file[name].is_null(); };
      const auto number = [&](const std::string &name, const Json &otherwise = nullptr) {
        return static_cast<int>(whole(has(name.c_str()) ? file[name] : otherwise, "`" + name + "`", 1));
      };
      const std::string family = file.at("model_type");
      if (family != "llama" && family != "mixtral")
        refuse("models of the family ", family, " are not supported; llama and mixtral are");
      hidden = number("hidden_size"), heads = number("num_attention_heads"), kv = number("num_key_value_heads", heads);
      inter = number("intermediate_size"), layers = number("num_hidden_layers"), vocab = number("vocab_size");
      limit = number("max_position_embeddings"), head = number("head_dim", hidden / heads);
      eps = file.at("rms_norm_eps");
      tied = file.value("tie_word_embeddings", false);
      begin = tokensOf(file.value("bos_token_id", Json()), "`bos_token_id`");
      ends = tokensOf(file.value("eos_token_id", Json()), "`eos_token_id`");
      const Json &rope = has("rope_parameters") ? file["rope_parameters"] : file; // where newer files have what follows
      theta = rope.value("rope_theta", 10000.0);
      if (!(eps > 0 && theta > 0))
        refuse("`rms_norm_eps` and `rope_theta` must be above 0, not ", eps, " and ", theta);
      if (has("rope_scaling") || rope.value("rope_type", "default") != "default")
        refuse("`rope_scaling` is not supported");
      for (const char *name : {"attention_bias", "mlp_bias", "sliding_window"})
        if (has(name) && file[name] != false && (!file[name].is_number() || file[name] < limit))
          refuse("`", name, "` is not supported");
      if (file.value("hidden_act", "silu") != "silu")
        refuse("`hidden_act` must be \"silu\", not ", file["hidden_act"]);
      if (heads % kv)
        refuse(heads, " heads do not divide by ", kv, " of keys");
      if (head != LLM_HEAD)
        refuse("heads have ", head, " elements; the kernels are compiled for ", LLM_HEAD);
      if (family == "mixtral") {
        experts = number("num_local_experts");
        if (const int chosen = number("num_experts_per_tok"); experts != 8 || chosen != 2) // E and K of moe.fly
          refuse("the best ", chosen, " of ", experts, " experts; the kernels are compiled for the best 2 of 8");
      }
    });
  }

  int hidden, heads, kv, inter, layers, vocab, limit, head, experts = 0; // experts: 0 for Llama
  float eps;
  double theta;
  bool tied;
  std::vector<int> begin, ends; // tokens
};

/// What the program is asked for.
struct Settings {
  int devices, pages;  // of the cache, on each device
  int sequences, rows; // of a step, at most
  bool as8Bits, byGraphs;
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

/// What a device has computed and what it needs to add it to that of the others: fly/comm.hpp.
struct Shared {
  fly::device_span<fly_bf16> own;
  const void *all, *temporary, *signals;
};

/// Bytes that a kernel takes as elements of the type that they have on this architecture.
struct Weights {
  fly::buffer<unsigned char> memory;
  fly::buffer<float> scales; // of the rows, if they have 8 bits
  template <typename T> operator fly::device_span<const T>() const {
    return {reinterpret_cast<const T *>(memory.data()), memory.size() / sizeof(T)};
  }
};

/// The part of device `rank`; embeddings, norms and the router are on each, the last product is on the first.
class Model {
public:
  Model(const Checkpoint &checkpoint, const Config &whole, const Settings &settings, int rank, const Shared &shared)
      : checkpoint(checkpoint), config(whole), rank(rank), world(settings.devices), as8Bits(settings.as8Bits),
        shared(shared) {
    Config &c = config;
    c.heads /= world, c.kv /= world, c.inter /= world;
    for (fly_module *module : {layer_module(), fp8_module(), moe_module(), parallel_module()}) // a capture cannot
      fly::check(fly_module_load(module));
    embeddings = bf16("model.embed_tokens", {c.vocab, c.hidden});
    for (int i = 0; i < c.layers; ++i) {
      const std::string name = "model.layers." + std::to_string(i) + ".";
      Layer &layer = layers.emplace_back();
      layer.norm1 = bf16(name + "input_layernorm", {c.hidden});
      layer.norm2 = bf16(name + "post_attention_layernorm", {c.hidden});
      const size_t elements = size_t(settings.pages) * pageElements();
      for (fly::buffer<fly_bf16> *cache : {&layer.keys, &layer.values}) { // rows that nobody has written are read
        *cache = fly::buffer<fly_bf16>(elements);
        fly::check(fly_fill_zero(*cache, cache->size_bytes(), nullptr));
      }
      takeAttention(layer, name + "self_attn.");
      if (c.experts)
        takeExperts(layer, name + "block_sparse_moe.");
      else
        takeFeed(layer, name + "mlp.");
    }
    norm = bf16("model.norm", {c.hidden});
    if (rank == 0 && !c.tied)
      out = bf16("lm_head", {c.vocab, c.hidden});
    makeAngles();
    allocate(settings);
    fly::synchronize();
  }

  /// Queues a step. The first device has the logits of the last row of each sequence, and chooses a token of each.
  void step(fly_stream stream, const Batch &batch) {
    const Config &c = config;
    const int m = batch.rows, b = batch.sequences;
    const bool reads = batch.mostNew > 1;
    const float scale = 1.0f / std::sqrt(static_cast<float>(c.head));
    layer::start(stream, embeddings, batch.ids, h, delta, m, c.hidden, c.vocab);
    for (const Layer &layer : layers) {
      const auto attend = [&](auto function, auto cache, const auto &...weights) {
        function(stream, workspace, delta, h, layer.norm1, weights..., angles, batch.positions, batch.slots, cache,
                 batch.cu, batch.lengths, batch.table, sums, shared.own, m, c.hidden, c.heads, b, batch.tableRow,
                 c.limit, batch.mostNew, batch.mostKeys, c.eps, scale);
      };
      const Weights &qkv = layer.qkv, &o = layer.o, &up = layer.up, &down = layer.down;
      if (as8Bits)
        attend(reads ? fp8::prefill : fp8::attend, cacheOf<fp8_PagedCache>(layer), qkv, o, qkv.scales, o.scales);
      else
        attend(reads ? layer::prefill : layer::attend, cacheOf<layer_PagedCache>(layer), qkv, o);
      const fly::device_span<fly_bf16> attended = total(stream, m), y = world > 1 ? shared.own : delta.span();
      const auto feed = [&](auto function, const auto &...rest) {
        function(stream, workspace, attended, sums, layer.norm2, rest...);
      };
      if (as8Bits && c.experts)
        feed(fp8::feed_experts, layer.router, up, down, up.scales, down.scales, h, y, m, c.hidden, c.inter, c.experts,
             c.eps);
      else if (c.experts)
        feed(moe::feed_experts, layer.router, up, down, h, y, m, c.hidden, c.inter, c.experts, c.eps);
      else if (as8Bits)
        feed(fp8::feed, up, down, up.scales, down.scales, h, y, m, c.hidden, c.inter, c.eps);
      else
        feed(layer::feed, up, down, h, y, m, c.hidden, c.inter, c.eps);
      total(stream, m);
    }
    if (rank > 0)
      return;
    layer::head(stream, workspace, delta, h, batch.last, norm, c.tied ? embeddings : out, logits, m, b, c.hidden,
                c.vocab, c.eps);
    if (batch.isDrawn)
      layer::drawn(stream, workspace, logits, parametersOf(batch), tokens, logprobs, b, c.vocab, c.vocab);
    else
      layer::best(stream, workspace, logits, tokens, b, c.vocab, c.vocab);
  }

  fly::buffer<float> logits;
  fly::buffer<int32_t> tokens;

private:
  struct Layer {
    Weights norm1, norm2, router, qkv, o, up, down;
    fly::buffer<fly_bf16> keys, values;
  };

  /// What all devices have computed, added up.
  fly::device_span<fly_bf16> total(fly_stream stream, int rows) const {
    if (world == 1)
      return shared.own;
    const auto sum = world == 2 ? parallel::sum_2 : world == 4 ? parallel::sum_4 : parallel::sum_8;
    sum(stream, shared.all, shared.temporary, shared.signals, delta, shared.own, rank, rows * config.hidden);
    return delta;
  }

  int64_t pageElements() const { return int64_t(pageRows) * config.kv * config.head; }

  template <typename Cache> Cache cacheOf(const Layer &layer) const {
    return {layer.keys, layer.values, nullptr, nullptr, pageElements(), pageElements(), 0, 0, config.kv};
  }

  static layer_Parameters parametersOf(const Batch &batch) {
    return {batch.temperature, batch.topK, batch.topP, nullptr, batch.seed, batch.offset};
  }

  /// Memory of a step.
  void allocate(const Settings &settings) {
    const size_t elements = size_t(settings.rows) * config.hidden;
    for (fly::buffer<fly_bf16> *rows : {&h, &sums, &delta})
      *rows = fly::buffer<fly_bf16>(elements);
    logits = fly::buffer<float>(size_t(settings.sequences) * config.vocab);
    logprobs = fly::buffer<float>(settings.sequences), tokens = fly::buffer<int32_t>(settings.sequences);
    Batch batch;
    size_t most = 0;
    batch.tableRow = pagesFor(config.limit), batch.mostKeys = batch.tableRow * pageRows;
    for (batch.rows = 1; batch.rows <= settings.rows; ++batch.rows) {
      batch.sequences = std::min(batch.rows, settings.sequences);
      for (int mostNew : {1, batch.rows})
        if (batch.mostNew = mostNew; mostNew > 1 || batch.rows <= settings.sequences)
          most = std::max(most, workspaceBytes(batch));
    }
    workspace = fly::buffer<unsigned char>(most);
  }

  size_t workspaceBytes(const Batch &batch) const {
    const Config &c = config;
    const bool reads = batch.mostNew > 1;
    const int m = batch.rows, b = batch.sequences;
    const auto attend = [&](auto function, auto cache) {
      return function(cache, m, c.hidden, c.heads, b, batch.tableRow, c.limit, batch.mostNew, batch.mostKeys, c.eps,
                      1.0f);
    };
    const auto fp8Attend = reads ? fp8::prefill_workspace_bytes : fp8::attend_workspace_bytes;
    const auto layerAttend = reads ? layer::prefill_workspace_bytes : layer::attend_workspace_bytes;
    const auto feed = as8Bits ? fp8::feed_workspace_bytes : layer::feed_workspace_bytes;
    const auto experts = as8Bits ? fp8::feed_experts_workspace_bytes : moe::feed_experts_workspace_bytes;
    return std::max(
        {as8Bits ? attend(fp8Attend, cacheOf<fp8_PagedCache>({})) : attend(layerAttend, cacheOf<layer_PagedCache>({})),
         c.experts ? experts(m, c.hidden, c.inter, c.experts, c.eps) : feed(m, c.hidden, c.inter, c.eps),
         layer::head_workspace_bytes(m, b, c.hidden, c.vocab, c.eps),
         layer::drawn_workspace_bytes(parametersOf(batch), b, c.vocab, c.vocab),
         layer::best_workspace_bytes(b, c.vocab, c.vocab)});
  }

  Weights bf16(const std::string &name, const Shape &shape) const {
    Rows rows;
    checkpoint.append(rows, name + ".weight", shape, false);
    return upload(std::move(rows));
  }

  void takeAttention(Layer &layer, const std::string &name) {
    const Config &c = config;
    const int64_t q = int64_t(c.heads) * c.head, kv = int64_t(c.kv) * c.head;
    const auto layout = [&](auto of) {
      return of(cacheOf<fp8_PagedCache>(layer), 1, c.hidden, c.heads, 1, 1, c.limit, 1, 1, c.eps, 1.0f);
    };
    layer.qkv = product(0, {{name + "q_proj", q}, {name + "k_proj", kv}, {name + "v_proj", kv}}, c.hidden,
                        [&] { return layout(fp8::attend_layout_of_w_qkv); });
    layer.o = product(1, {{name + "o_proj", c.hidden}}, q, [&] { return layout(fp8::attend_layout_of_w_o); });
  }

  void takeFeed(Layer &layer, const std::string &name) {
    const Config &c = config;
    layer.up = product(0, {{name + "gate_proj", c.inter}, {name + "up_proj", c.inter}}, c.hidden,
                       [&] { return fp8::feed_layout_of_w_gate_up(1, c.hidden, c.inter, c.eps); });
    layer.down = product(1, {{name + "down_proj", c.hidden}}, c.inter,
                         [&] { return fp8::feed_layout_of_w_down(1, c.hidden, c.inter, c.eps); });
  }

  /// For `up`, kernels have 16 rows of the gate, the 16 that they multiply, and so on; its scales are all of the gate,
  /// then the others.
  void takeExperts(Layer &layer, const std::string &place) {
    const Config &c = config;
    const int64_t hidden = c.hidden, padded = (c.inter + 15) / 16 * 16, bytes = as8Bits ? 1 : 2;
    layer.router = bf16(place + "gate", {c.experts, hidden});
    Rows up, down;
    for (int expert = 0; expert < c.experts; ++expert) {
      const std::string name = place + "experts." + std::to_string(expert);
      for (const char *half : {".w1.weight", ".w3.weight"}) {
        checkpoint.append(up, name + half, {c.inter, hidden}, as8Bits, 0, rank, world);
        up.bytes.resize(up.bytes.size() + (padded - c.inter) * hidden * bytes);
      }
      checkpoint.append(down, name + ".w2.weight", {hidden, c.inter}, as8Bits, 1, rank, world);
    }
    const auto layout1 = as8Bits ? fp8::feed_experts_layout_of_w1 : moe::feed_experts_layout_of_w1;
    const auto layout2 = as8Bits ? fp8::feed_experts_layout_of_w2 : moe::feed_experts_layout_of_w2;
    const fly_layout turns = {uint32_t(8 * bytes),
                              3,
                              {1, 3, 1},
                              {c.experts, 16, 2, padded / 16, hidden},
                              {2 * padded * hidden, hidden, padded * hidden, 16 * hidden, 1}};
    layer.up = ordered(std::move(up), layout1(1, c.hidden, c.inter, c.experts, c.eps), turns);
    layer.down =
        ordered(std::move(down), layout2(1, c.hidden, c.inter, c.experts, c.eps), rowsOf({c.experts, hidden, c.inter}));
  }

  /// This device's rows (axis 0) or columns of weights, one below the other; `parts` says how many rows each has.
  template <typename Layout>
  Weights product(int axis, const std::vector<std::pair<std::string, int64_t>> &parts, int64_t columns, Layout layout) {
    Rows all;
    int64_t rows = 0;
    for (const auto &[name, count] : parts) {
      checkpoint.append(all, name + ".weight", {count, columns}, as8Bits, axis, rank, world);
      rows += count;
    }
    return as8Bits ? ordered(std::move(all), layout(), rowsOf({rows, columns})) : upload(std::move(all));
  }

  fly_layout rowsOf(const Shape &extents) const {
    fly_layout layout;
    fly_layout_rows(&layout, as8Bits ? 8 : 16, static_cast<uint32_t>(extents.size()), extents.data());
    return layout;
  }

  static Weights ordered(Rows rows, const fly_layout &to, const fly_layout &from) {
    std::vector<unsigned char> bytes(fly_layout_bytes(&to));
    fly::check(fly_layout_copy(bytes.data(), &to, rows.bytes.data(), &from));
    return upload({std::move(bytes), std::move(rows.scales)});
  }

  /// gfx942 has FNUZ: the same bits are half the number, and those of -0 are NaN.
  static Weights upload(Rows rows) {
    if (!rows.scales.empty() && fly::architecture() == "gfx942") {
      for (unsigned char &code : rows.bytes)
        code = (code & 0x7f) == 0x7f ? 0x80 : code == 0x80 ? 0 : code;
      for (float &scale : rows.scales)
        scale *= 2;
    }
    return {fly::buffer<unsigned char>(rows.bytes), fly::buffer<float>(rows.scales)};
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
  Config config; // of this device
  const int rank, world;
  const bool as8Bits;
  const Shared shared;
  std::vector<Layer> layers;
  Weights embeddings, norm, out;
  fly::buffer<fly_bf16> h, sums, delta;
  fly::buffer<float> angles, logprobs;
  fly::buffer<unsigned char> workspace;
};

} // namespace llm
