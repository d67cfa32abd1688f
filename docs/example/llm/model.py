"""A decoder of the families Llama and Mixtral on one or several devices: weights, caches, and one step of a batch."""
import flyc
import numpy as np
from checkpoint import to_fnuz

PAGE = 16
SAMPLING = {"temperature": np.float32, "top_k": np.int32, "top_p": np.float32, "seed": np.uint64, "offset": np.uint64}


def up(array, type):
    """Numbers, or bits, on the current device."""
    return flyc.Array(np.ascontiguousarray(array), type=type)


class Part:
    """A device's part of the model: some of the heads, and a part of what lies between the two products of a layer's
    second half. Embeddings, norms, the router and the last product are on each device."""

    def __init__(self, checkpoint, modules, rank, world, pages, fp8):
        self.config = c = checkpoint.config
        self.checkpoint, self.rank, self.world = checkpoint, rank, world
        self.hidden, self.eps = c["hidden_size"], c["rms_norm_eps"]
        heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
        if heads % world or kv % world or c["intermediate_size"] % world:
            raise ValueError(
                f"{heads} heads, {kv} of them of keys, or {c['intermediate_size']} columns do not divide by {world}"
            )
        self.head = c.get("head_dim") or self.hidden // heads
        self.heads, self.kv, self.inter = heads // world, kv // world, c["intermediate_size"] // world
        self.experts = c["num_local_experts"] if c["model_type"] == "mixtral" else None
        self.type = "bf16" if not fp8 else "f8E4M3FNUZ" if flyc.architecture() == "gfx942" else "f8E4M3FN"
        self.layer, self.halves = modules["layer"], modules["fp8" if fp8 else "layer"]
        self.feed = modules["fp8" if fp8 else "moe"].feed_experts if self.experts else self.halves.feed
        self.total = modules["parallel"][f"sum_{world}"] if world > 1 else None
        for module in modules.values():
            module.load()
        self.embedding = up(checkpoint.bfloat16("model.embed_tokens.weight"), "bf16")
        self.layers = [self.layer_of(f"model.layers.{i}.", pages) for i in range(c["num_hidden_layers"])]
        self.norm = up(checkpoint.bfloat16("model.norm.weight"), "bf16")
        self.out = self.embedding if c.get("tie_word_embeddings") else up(checkpoint.bfloat16("lm_head.weight"), "bf16")
        limit, half = c["max_position_embeddings"], self.head // 2
        angles = np.arange(limit)[:, None] * c["rope_theta"] ** (-np.arange(half) / half)
        self.angles = up(np.concatenate([np.cos(angles), np.sin(angles)], 1).astype(np.float32), "f32")

    # --- weights ------------------------------------------------------------------------------------------------

    def weight(self, name, axis=0):
        """(bits, scales of rows, or None) of this device's rows or columns (axis 1) of a weight."""
        mine = lambda array, axis: np.split(array, self.world, axis)[self.rank]
        if self.type == "bf16":
            return mine(self.checkpoint.bfloat16(name + ".weight"), axis), None
        codes, scales = self.checkpoint.e4m3(name + ".weight")
        if self.type == "f8E4M3FNUZ":
            codes, scales = to_fnuz(codes, scales)
        return mine(codes, axis), scales if axis else mine(scales, 0)

    def linear(self, function, parameters, numbers):
        """What a half takes for its two products: the weights of both, then the scales of both. `parameters`: their
        names, and those of the weights that are one below the other."""
        weights, scales = [], []
        for parameter, axis, names in parameters:
            bits, factors = zip(*(self.weight(name, axis) for name in names))
            bits = np.concatenate(bits)
            if self.type == "bf16":
                weights.append(up(bits, self.type))
            else:
                weights.append(up(function.layout(parameter, **numbers).pack(bits), self.type))
                scales.append(up(np.concatenate(factors), "f32"))
        return weights + scales

    def cache(self, keys, values):
        page = PAGE * self.kv * self.head
        return keys, values, 0, 0, page, page, 0, 0, self.kv

    def layer_of(self, name, pages):
        attention, mlp = name + "self_attn.", name + "mlp."
        rows = (pages, PAGE, self.kv, self.head)  # those that nobody has written are read, and must be numbers
        keys, values = (up(np.zeros(rows, np.uint16), "bf16") for _ in range(2))
        attend = [("w_qkv", 0, [attention + f"{x}_proj" for x in "qkv"]), ("w_o", 1, [attention + "o_proj"])]
        feed = [("w_gate_up", 0, [mlp + "gate_proj", mlp + "up_proj"]), ("w_down", 1, [mlp + "down_proj"])]
        sizes = {"hidden": self.hidden, "heads": self.heads, "cache": self.cache(0, 0)}
        return {
            "norms": [
                up(self.checkpoint.bfloat16(f"{name}{x}_layernorm.weight"), "bf16") for x in ("input", "post_attention")
            ],
            "attend": self.linear(self.halves.attend, attend, sizes),
            "cache": self.cache(keys, values),
            "feed": (
                self.experts_of(name + "block_sparse_moe.")
                if self.experts
                else self.linear(self.feed, feed, {"hidden": self.hidden, "inter": self.inter})
            ),
        }

    def experts_of(self, place):
        """The router; the weights of both products; their scales."""
        count, hidden = self.experts, self.hidden
        (gate, gates), (other, others), (down, downs) = (
            map(np.stack, zip(*(self.weight(f"{place}experts.{e}.{x}", axis) for e in range(count))))
            for x, axis in (("w1", 0), ("w3", 0), ("w2", 1))
        )
        # rows of `w1`: 16 of the gate, the 16 that they multiply, and so on; scales: all of the gate, then the others
        turns = np.stack([half.reshape(count, -1, 16, hidden) for half in (gate, other)], 2).reshape(count, -1, hidden)
        sizes = {"hidden": hidden, "inter": self.inter, "experts": count}
        found = [up(self.checkpoint.bfloat16(place + "gate.weight"), "bf16")]
        found += [up(self.feed.layout(x, **sizes).pack(w), self.type) for x, w in (("w1", turns), ("w2", down))]
        if self.type != "bf16":
            found += [up(s[..., None], "f32") for s in (np.concatenate([gates, others], 1), downs)]
        return found

    # --- a step -------------------------------------------------------------------------------------------------

    def calls(self, batch, signals):
        """What a step launches: (function, arguments, numbers by name). Between the halves of a layer, what the
        devices have computed is summed."""
        r, eps, calls = self.rank, {"eps": self.eps}, []
        x, part = batch.of[r], batch.part[r]
        attend = self.halves.prefill if batch.most_new > 1 else self.halves.attend
        sizes = {
            "heads": self.heads,
            "most_q": batch.most_new,
            "most_keys": batch.most_keys,
            "scale": self.head**-0.5,
        }
        experts = {"inter": self.inter, "experts": self.experts} if self.experts else {}

        def call(function, *arguments, **numbers):
            calls.append((function, arguments, numbers))

        def sum_of(own, to):
            """Into `to`, if there are several devices."""
            if self.total is None:
                return own
            call(self.total, batch.part.pointers[r], None, signals[r], to, own, rank=r, n=to.size)
            return to

        asked, delta = [x[name] for name in ("cu_q", "lengths", "table")], x["delta"]
        call(self.layer.start, self.embedding, x["ids"], x["h"], delta)
        for layer in self.layers:
            first, second = layer["norms"]
            inputs = [*layer["attend"], self.angles, x["positions"], x["slots"], layer["cache"], *asked]
            call(attend, delta, x["h"], first, *inputs, x["sums"], part, **sizes, **eps)
            fed = part if self.total else x["delta"]
            call(self.feed, sum_of(part, x["delta"]), x["sums"], second, *layer["feed"], x["h"], fed, **experts, **eps)
            delta = sum_of(fed, x["delta"])
        if r == 0:  # the others have the same rows
            call(self.layer.head, delta, x["h"], x["last"], self.norm, self.out, x["logits"], **eps)
            drawn = {**{name: x[name] for name in SAMPLING}, "min_p": None}
            if batch.sampled:
                call(self.layer.drawn, x["logits"], drawn, x["tokens"], None)
            else:
                call(self.layer.best, x["logits"], x["tokens"])
        return calls


class Batch:
    """The inputs of a step on each device, and memory for what it computes: `rows` new tokens of `sequences`, whose
    tables have `width` pages; logits of `last` rows."""

    def __init__(self, ranks, config, rows, sequences, width, most_new, last, sampled):
        self.ranks, self.most_new, self.most_keys, self.sampled = ranks, most_new, width * PAGE, sampled
        hidden, of_rows = config["hidden_size"], (rows, config["hidden_size"])
        self.part = ranks.allocate(of_rows, "bf16")
        self.shapes = {
            **{"ids": ((rows,), "i32"), "positions": ((1, rows), "i64"), "slots": ((rows,), "i64")},
            **{
                "cu_q": ((sequences + 1,), "i32"),
                "lengths": ((sequences,), "i32"),
                "table": ((sequences, width), "i32"),
            },
            **{"last": ((last,), "i32"), "tokens": ((last,), "i32"), "logits": ((last, config["vocab_size"]), "f32")},
            **{name: (of_rows, "bf16") for name in ("h", "sums", "delta")},
            **{
                name: ((last,), {"float32": "f32", "int32": "i32"}.get(kind.__name__, "u64"))
                for name, kind in SAMPLING.items()
            },
        }
        self.of = []
        for r in ranks:
            with ranks.use(r):
                self.of.append(
                    {name: flyc.Array(shape=shape, type=type) for name, (shape, type) in self.shapes.items()}
                )
        self.calls, self.workspaces, self.graphs = [], [], []

    def ask(self, **inputs):
        """Writes the inputs. The last step is done."""
        for r in self.ranks:
            with self.ranks.use(r):
                for name, array in inputs.items():
                    self.of[r][name].copy_from(array)


class Model:
    """All parts. `step` waits for the step's end."""

    def __init__(self, checkpoint, modules, devices=1, pages=64, fp8=False):
        self.config, self.ranks, self.parts = checkpoint.config, flyc.Ranks(range(devices)), []
        for r in self.ranks:
            with self.ranks.use(r):
                self.parts.append(Part(checkpoint, modules, r, devices, pages, fp8))

    def prepare(self, batch):
        """Collects what a batch launches, and allocates the workspaces: nothing may wait for a device once another
        one waits for it."""
        for part in self.parts:
            with self.ranks.use(part.rank):
                calls, bytes = part.calls(batch, self.ranks.signals), {}
                for function, arguments, numbers in calls:
                    if function not in bytes:
                        bytes[function] = function.workspace_bytes(*arguments, **numbers)
                batch.calls.append(calls)
                batch.workspaces.append(flyc.Array(shape=max(bytes.values()), type="u8"))

    def queue(self, batch, rank):
        stream, workspace = self.ranks.streams[rank], batch.workspaces[rank]
        for function, arguments, numbers in batch.calls[rank]:
            function(*arguments, **numbers, stream=stream, workspace=workspace)

    def step(self, batch, captured=False):
        """With `captured`, a batch is recorded as a graph when it comes for the first time."""
        if not batch.calls:
            self.prepare(batch)
            for r in self.ranks if captured else ():
                with self.ranks.use(r), flyc.capture(self.ranks.streams[r]) as graph:
                    self.queue(batch, r)
                batch.graphs.append(graph)
        for r in self.ranks:
            with self.ranks.use(r):
                if captured:
                    batch.graphs[r].launch()
                else:
                    self.queue(batch, r)
        self.ranks.synchronize()
