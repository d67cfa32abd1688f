// A decoder of the families Llama and Mixtral: its weights on one device, and one step of a batch.
#pragma once

#include <algorithm>
#include <cmath>

#include "checkpoint.hpp"
#include "layer.hpp"
#include "pages.hpp"

namespace llm {

using Weights = fly::buffer<fly_bf16>;

struct Config {
  explicit Config(const Json &file)
      : family(file.at("model_type")), hidden(file.at("hidden_size")), heads(file.at("num_attention_heads")),
        kv(file.value("num_key_value_heads", heads)), inter(file.at("intermediate_size")),
        layers(file.at("num_hidden_layers")), vocab(file.at("vocab_size")), limit(file.at("max_position_embeddings")),
        eps(file.at("rms_norm_eps")), theta(file.value("rope_theta", 10000.0)),
        tied(file.value("tie_word_embeddings", false)) {
    head = file.contains("head_dim") && !file["head_dim"].is_null() ? file["head_dim"].get<int>() : hidden / heads;
    if (family != "llama" && family != "mixtral")
      throw std::runtime_error("models of the family `" + family + "` are not supported; llama and mixtral are");
    if (file.contains("rope_scaling") && !file["rope_scaling"].is_null())
      throw std::runtime_error("rope_scaling is not supported");
  }
  std::string family;
  int hidden, heads, kv, inter, layers, vocab, limit, head;
  float eps;
  double theta;
  bool tied;
};

/// What a step is asked: the new tokens of all sequences, one after the other, on the device.
struct Batch {
  int rows = 0, sequences = 0, tableRow = 0; // new tokens; sequences; columns of `table`
  int mostNew = 0, mostKeys = 0;             // of one sequence, at most
  fly::device_span<int32_t> ids, cu, lengths, table, last;
  fly::device_span<int64_t> positions, slots;
};

/// Memory that a step needs beside the weights, for at most so many rows and sequences.
struct Scratch {
  Scratch(size_t rows, size_t sequences, size_t hidden, size_t vocab, size_t workspaceBytes)
      : h(rows * hidden), sums(rows * hidden), delta(rows * hidden), part(rows * hidden), logits(sequences * vocab),
        workspace(workspaceBytes) {}
  fly::buffer<fly_bf16> h, sums, delta, part;
  fly::buffer<float> logits;
  fly::buffer<unsigned char> workspace;
};

class Model {
public:
  Model(const Checkpoint &checkpoint, int pages) : config(checkpoint.config) {
    const Config &c = config;
    const auto joined = [&](const std::vector<std::string> &names) {
      std::vector<uint16_t> all;
      for (const std::string &name : names) {
        const std::vector<uint16_t> part = checkpoint.bf16(name + ".weight");
        all.insert(all.end(), part.begin(), part.end());
      }
      return upload(all);
    };
    embeddings = joined({"model.embed_tokens"});
    for (int i = 0; i < c.layers; ++i) {
      const std::string name = "model.layers." + std::to_string(i) + ".", attn = name + "self_attn.",
                        mlp = name + "mlp.";
      const size_t cache = static_cast<size_t>(pages) * pageRows * static_cast<size_t>(c.kv * c.head);
      layers.push_back({joined({name + "input_layernorm"}), joined({attn + "q_proj", attn + "k_proj", attn + "v_proj"}),
                        joined({attn + "o_proj"}), joined({name + "post_attention_layernorm"}),
                        joined({mlp + "gate_proj", mlp + "up_proj"}), joined({mlp + "down_proj"}), Weights(cache),
                        Weights(cache)});
      for (const Weights *memory : {&layers.back().keys, &layers.back().values})
        fly::check(
            fly_fill_zero(*memory, cache * 2, nullptr)); // rows that nobody has written are read, and must be numbers
    }
    norm = joined({"model.norm"});
    out = c.tied ? joined({"model.embed_tokens"}) : joined({"lm_head"});
    makeAngles();
  }

  /// Queues a step: the logits of the last row of each sequence, and the best token of each.
  void step(fly_stream stream, const Batch &batch, Scratch &scratch, fly::device_span<int32_t> tokens) {
    const Config &c = config;
    const float scale = 1.0f / std::sqrt(static_cast<float>(c.head));
    const auto attend = batch.mostNew > 1 ? layer::prefill : layer::attend;
    layer::start(stream, embeddings, batch.ids, scratch.h, scratch.delta, batch.rows, c.hidden, c.vocab);
    for (Layer &layer : layers) {
      attend(stream, scratch.workspace, scratch.delta, scratch.h, layer.norm1, layer.qkv, layer.o, angles,
             batch.positions, batch.slots, cacheOf(layer), layer.keys, layer.values, batch.cu, batch.lengths,
             batch.table, scratch.sums, scratch.part, batch.rows, c.hidden, c.heads, batch.sequences, batch.tableRow,
             c.limit, batch.mostNew, batch.mostKeys, c.eps, scale);
      layer::feed(stream, scratch.workspace, scratch.part, scratch.sums, layer.norm2, layer.gateUp, layer.down,
                  scratch.h, scratch.delta, batch.rows, c.hidden, c.inter, c.eps);
    }
    layer::head(stream, scratch.workspace, scratch.delta, scratch.h, batch.last, norm, out, scratch.logits, batch.rows,
                batch.sequences, c.hidden, c.vocab, c.eps);
    layer::best(stream, scratch.workspace, scratch.logits, tokens, batch.sequences, c.vocab, c.vocab);
  }

  /// Bytes of workspace that a step needs.
  size_t workspaceBytes(const Batch &batch) const {
    const Config &c = config;
    const layer_PagedCache cache = {nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0, c.kv};
    const auto attend = batch.mostNew > 1 ? layer::prefill_workspace_bytes : layer::attend_workspace_bytes;
    return std::max({attend(cache, batch.rows, c.hidden, c.heads, batch.sequences, batch.tableRow, c.limit,
                            batch.mostNew, batch.mostKeys, c.eps, 1.0f),
                     layer::feed_workspace_bytes(batch.rows, c.hidden, c.inter, c.eps),
                     layer::head_workspace_bytes(batch.rows, batch.sequences, c.hidden, c.vocab, c.eps),
                     layer::best_workspace_bytes(batch.sequences, c.vocab, c.vocab)});
  }

  const Config config;

private:
  struct Layer {
    Weights norm1, qkv, o, norm2, gateUp, down, keys, values;
  };

  layer_PagedCache cacheOf(const Layer &layer) const {
    const int64_t page = static_cast<int64_t>(pageRows) * config.kv * config.head;
    return {layer.keys, layer.values, nullptr, nullptr, page, page, 0, 0, config.kv};
  }

  static Weights upload(const std::vector<uint16_t> &bits) {
    Weights found(bits.size());
    fly::check(fly_copy_to_device(found, bits.data(), bits.size() * 2));
    return found;
  }

  void makeAngles() {
    const int half = config.head / 2;
    std::vector<float> table(static_cast<size_t>(config.limit) * static_cast<size_t>(config.head));
    for (int position = 0; position < config.limit; ++position)
      for (int i = 0; i < half; ++i) {
        const double angle = position * std::pow(config.theta, -static_cast<double>(i) / half);
        const size_t row = static_cast<size_t>(position) * static_cast<size_t>(config.head);
        table[row + static_cast<size_t>(i)] = static_cast<float>(std::cos(angle));
        table[row + static_cast<size_t>(half + i)] = static_cast<float>(std::sin(angle));
      }
    angles = fly::buffer<float>(table);
  }

  std::vector<Layer> layers;
  Weights embeddings, norm, out;
  fly::buffer<float> angles;
};

} // namespace llm
