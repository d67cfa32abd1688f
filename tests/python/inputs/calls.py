"""Calls with parameters of every kind: what is computed, and what is refused. calls.py FORMS.json"""
import array
import gc
import sys
import unittest
import weakref

import flyc
import numpy as np
import torch

k = flyc.load(sys.argv.pop(1))
generator = np.random.default_rng()


def random(*shape):
    return generator.standard_normal(shape).astype(np.float32)


class Capsule:
    """As CuPy: memory of a device, by DLPack alone; an old one does not know `max_version`."""

    def __init__(self, of, old=False):
        self.of, self.old = of, old

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()

    def __dlpack__(self, **words):
        if self.old and "max_version" in words:
            raise TypeError("max_version")
        return self.of.__dlpack__()


class Fake(torch.Tensor):
    """A PyTorch tensor of a ROCm device: the attributes are real, the memory is a flyc.Array's."""
    __torch_function__ = torch._C._disabled_torch_function_impl
    device = property(lambda self: torch.device("cuda:0"))

    def data_ptr(self):
        return self.array.pointer + self.begin


def on_device(content, begin=0):
    """A fake of a NumPy array; `begin` bytes of its memory are left out."""
    memory = flyc.Array(np.concatenate([np.zeros(begin, np.uint8), np.ascontiguousarray(content).reshape(-1).view(np.uint8)]))
    fake = torch.from_numpy(np.ascontiguousarray(content)).as_subclass(Fake)
    fake.array, fake.begin = memory, begin
    return fake


class Computes(unittest.TestCase):
    def test_numpy(self):
        for n in (2, 64, 1000):
            x, y = random(n), random(n)
            self.assertIsNone(k.scale(x, y, 3))
            np.testing.assert_array_equal(y, 3 * x)

    def test_the_instance_is_that_of_the_types(self):
        x = torch.randn(10).to(torch.bfloat16)
        self.assertTrue(torch.equal(k.scale(x, flyc.empty, 2.0), 2 * x))
        y = k.scale(x.half(), flyc.empty, by=2)
        self.assertEqual(y.dtype, torch.float16)

    def test_bits_stand_for_types_that_numpy_lacks(self):
        x = (random(10).view(np.uint32) >> 16).astype(np.uint16)  # bf16
        y = k.scale_bf16(x, flyc.empty, 1.0)
        self.assertEqual(y.dtype, np.uint16)
        np.testing.assert_array_equal(x, y)

    def test_keywords_and_left_out_numbers(self):
        x, y = random(8), random(8)
        k.scale(y=y, by=2, x=x, n=8)
        np.testing.assert_array_equal(y, 2 * x)
        x = generator.integers(-2**31, 2**31, 10, dtype=np.int32)
        y = k.halves(x, flyc.empty)  # h from 2 * h = 10
        self.assertEqual(y.shape, (6, 2))
        np.testing.assert_array_equal(y[1:].reshape(-1), x)

    def test_rows_with_gaps(self):
        x, y = random(3, 100), random(3, 80)
        expected = y[:, 5:75] + x[:, 20:90]
        before = y.copy()
        k.add_rows(x[:, 20:90], y[:, 5:75])
        np.testing.assert_array_equal(y[:, 5:75], expected)
        np.testing.assert_array_equal(np.delete(y, np.s_[5:75], 1), np.delete(before, np.s_[5:75], 1))

    def test_parts_of_one_tensor_do_not_overlap(self):
        both = random(4, 128)
        expected = both[:, :64] + both[:, 64:]
        k.add_rows(both[:, 64:], both[:, :64])
        np.testing.assert_array_equal(both[:, :64], expected)

    def test_structs(self):
        table = random(100)
        expected = table * np.float32(2) + np.float32(3)
        for params in ({"n": 100, "factors": (2, 3, 4), "flag": False, "table": table}, (100, (2, 3, 4), False, table)):
            y = np.empty(100, np.float32)
            k.apply(params, y)
            np.testing.assert_allclose(y, expected, rtol=1e-6)

        class Params:
            n, factors, flag = 100, [2, 3, 4], True
        Params.table = table
        np.testing.assert_allclose(k.apply(Params, flyc.empty), expected + 4, rtol=1e-6)

    def test_pointers_of_structs(self):
        table = random(9)
        y = np.empty(8, np.float32)
        k.copy_table((8, (2, 3, 4), False, table), y)
        np.testing.assert_array_equal(y, table[1:])

    def test_numbers(self):
        y = np.empty(8)
        k.numbers(y, True, -128, 2**63 + 2048, 1.5, 3.0e38, 0.1, 65535)
        bf16 = (np.array([3.0e38], np.float32).view(np.uint32) + 0x8000 >> 16 << 16).view(np.float32)[0]
        np.testing.assert_array_equal(y, [1, -128, 2**63 + 2048, 1.5, bf16, 0.1, 65535, -1])
        k.numbers(y, np.bool_(False), np.int64(5), np.uint64(7), np.float16(-0.25), 1, np.float32(2), 0)
        np.testing.assert_array_equal(y, [0, 5, 7, -0.25, 1, 2, 0, -1])

    def test_buffers_and_pointers(self):
        y = bytearray(5)
        k.copy_by_pointer(bytearray(b"hello"), y)
        self.assertEqual(y, b"hello")
        x, y = array.array("f", [1, 2]), array.array("f", [0, 0])
        k.scale(x, y, 4)
        self.assertEqual(list(y), [4, 8])

    def test_divided_modes(self):
        x = random(3, 8)
        layout = k.shuffled.layout("x", m=3, n=8)
        packed = layout.pack(x)
        np.testing.assert_array_equal(layout.unpack(packed), x)
        np.testing.assert_array_equal(k.shuffled(packed, flyc.empty, m=3, n=8), x)

    def test_elements_of_four_bits(self):
        x = generator.integers(0, 256, (3, 5), dtype=np.uint8)
        expected = np.stack([x & 15, x >> 4], -1).reshape(3, 10).astype(np.int32)
        np.testing.assert_array_equal(k.nibbles(x, flyc.empty), expected - 16 * (expected > 7))

    def test_nothing_to_do(self):
        self.assertEqual(k.scale(random(0), flyc.empty, 1).shape, (0,))
        k.add_rows(random(0, 5), random(0, 5))
        self.assertEqual(k.add_twice(random(0), flyc.empty).shape, (0,))

    def test_unused_tensors_may_be_none(self):
        y = random(5)
        k.maybe(None, y)
        np.testing.assert_array_equal(y, np.ones(5))

    def test_launch_functions_and_workspaces(self):
        x = random(1000)
        np.testing.assert_array_equal(k.add_twice(x, flyc.empty), 2 * x)
        self.assertEqual(k.add_twice.workspace_bytes(x, flyc.empty), 4000)
        a, y = flyc.Array(x), flyc.Array(shape=1000, type="f32")
        for workspace in (None, flyc.Array(shape=4000, type="u8")):
            k.add_twice(a, y, workspace=workspace)
            flyc.synchronize()
            np.testing.assert_array_equal(y.numpy(), 2 * x)

    def test_in_place_if_the_caller_says_so(self):
        x = random(100)
        expected = 2 * x
        k.scale(x, x, 2, overlap=True)
        np.testing.assert_array_equal(x, expected)


class OnDevice(unittest.TestCase):
    """The fast way, by PyTorch's tensors of a device; DLPack; streams and graphs."""

    def test_fake_tensors(self):
        prepared = k.scale_f32._choose((), {})._prepared
        before = len(prepared)
        for by in (1.0, 2.5, 2.5, -1.0, float("inf")):  # `by` is not part of a plan's key
            x = random(1000)
            a, b = on_device(x), on_device(0 * x)
            stream = flyc.Stream()
            k.scale_f32(a, b, by, stream=stream)
            stream.synchronize()
            np.testing.assert_array_equal(b.array.numpy().view(np.float32), x * np.float32(by))
        self.assertEqual(len(prepared), before + 1)

    def test_what_follows_from_the_tensors_is_part_of_the_key(self):
        for n in (10, 20, 10, 30):
            x = random(2, n)
            a, b = on_device(x), on_device(x)
            k.add_rows(a, b)
            flyc.synchronize()
            np.testing.assert_array_equal(b.array.numpy().view(np.float32), (2 * x).reshape(-1))

    def test_checks_hold_on_the_fast_way(self):
        x = random(64)
        a, b = on_device(x), on_device(x)
        k.scale(a, b, 2)
        with self.assertRaisesRegex(flyc.ArgumentError, "`y` is written by the kernel and overlaps `x`"):
            k.scale(a, a, 2)
        with self.assertRaisesRegex(flyc.ArgumentError, "`y` must be aligned to 16 bytes"):
            k.scale(a, on_device(x, begin=8), 2)
        with self.assertRaisesRegex(flyc.ArgumentTypeError, "integer"):
            k.scale(a, b, 2, n=64.0)
        y = on_device(np.zeros(8))
        k.numbers(y, 1, 2, 3, 1.0, 1.0, 1.0, 4)
        for b in (128, 1 << 70):
            with self.assertRaisesRegex(flyc.ArgumentError, "`b` is a i8, from -128 to 127"):
                k.numbers(y, 1, b, 3, 1.0, 1.0, 1.0, 4)

    def test_dlpack(self):
        x = random(100)
        a, b = flyc.Array(x), flyc.Array(shape=100, type="f32")
        for old in (False, True):
            k.scale(Capsule(a, old), Capsule(b, old), 2 + old)
            flyc.synchronize()
            np.testing.assert_array_equal(b.numpy(), x * (2 + old))
        self.assertFalse(flyc.dlpack._exported)

    def test_plans_hold_no_memory(self):
        x = random(64)
        a, b = flyc.Array(x), flyc.Array(shape=64, type="f32")
        prepared = k.scale_f32._choose((), {})._prepared
        before = len(prepared)
        for by in (2.0, 3.0):
            k.scale_f32(Capsule(a), Capsule(b), by)
            flyc.synchronize()
            np.testing.assert_array_equal(b.numpy(), x * by)
        self.assertLessEqual(len(prepared), before + 1)
        alive = weakref.ref(a)
        del a
        gc.collect()
        self.assertIsNone(alive())

    def test_formats_of_eight_bits_have_their_own_codes(self):
        x = generator.integers(0, 256, 64, dtype=np.uint8)
        for name in ("f8E4M3FN", "f8E4M3FNUZ", "e8m0"):
            a, b = flyc.Array(x, type=name), flyc.Array(shape=64, type=name)
            k.copy(Capsule(a), Capsule(b))
            flyc.synchronize()
            np.testing.assert_array_equal(b.numpy(), x)
            np.testing.assert_array_equal(k[f"copy_{name}"](x, flyc.empty), x)
        with self.assertRaisesRegex(flyc.ArgumentTypeError, r"`x` has elements of f8E4M3FN, got DLPack's type \(14, 8\)"):
            k.copy_f8E4M3FN(Capsule(a), Capsule(b))

    def test_streams_and_graphs(self):
        x = random(100)
        a, b, s = flyc.Array(x), flyc.Array(shape=100, type="f32"), flyc.Stream()
        k.scale(a, b, 3, stream=s)
        s.synchronize()
        np.testing.assert_array_equal(b.numpy(), 3 * x)
        k.add_twice(a, b, stream=s)  # its workspace is there now
        with flyc.capture(s) as graph:
            k.add_twice(a, b, stream=s)
        for _ in range(3):
            k.scale(a, b, 5, stream=s)
            graph.launch()
            s.synchronize()
            np.testing.assert_array_equal(b.numpy(), 2 * x)


class Refuses(unittest.TestCase):
    def refused(self, text, call, rule=None, kind=flyc.ArgumentError):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(text, str(caught.exception))
        if rule:
            self.assertEqual(caught.exception.rule, rule)

    def test_shapes(self):
        x, y = random(8), random(8)
        self.refused("`y` must have shape (n,) = (8,), with n = 8, got (6,)", lambda: k.scale(x, y[:6], 1), "shape")
        self.refused("`x` must have shape (n,) = (6,), with n = 6, got (8,)", lambda: k.scale(x, y, 1, n=6), "shape")
        self.refused("`x` must have shape (n,)", lambda: k.scale(random(2, 4), y, 1, n=8), "shape")
        self.refused("`y` must have shape ((h + 1), 2) = (5, 2)", lambda: k.halves(np.zeros(8, np.int32), np.zeros((4, 2), np.int64)), "shape")
        self.refused("`h` is missing", lambda: k.halves(np.zeros(7, np.int32), flyc.empty), "missing")

    def test_strides(self):
        x = random(8)
        self.refused("`x` must have strides (1,) = (1,), got (2,); `.contiguous()` makes a copy", lambda: k.scale(random(16)[::2], x, 1), "strides")
        self.refused("`x` must have strides (1,) = (1,), got (-1,)", lambda: k.scale(x[::-1], random(8), 1), "strides")
        y = np.lib.stride_tricks.as_strided(random(8), (3, 4), (4, 4))
        self.refused("several elements at one address", lambda: k.add_rows(random(3, 4), y), "overlap")
        self.refused("divided layout", lambda: k.shuffled(random(3, 16)[:, ::2], flyc.empty, m=3, n=8), "strides")

    def test_types(self):
        x, y = random(8), random(8)
        self.refused("no instance takes these tensors", lambda: k.scale(x.astype(np.float64), y, 1), "type", flyc.ArgumentTypeError)
        self.refused("`y` has elements of f32, got float16", lambda: k.scale_f32(x, y.astype(np.float16), 1), "type", TypeError)
        self.refused("`y` has elements of f32, got int32", lambda: k.scale_f32(x, y.view(np.int32), 1), "type")
        self.refused("`x` is a tensor of f32, got list", lambda: k.scale_f32([1, 2], y, 1), "type")
        self.refused("`by` is a number (f32), got a tensor; pass `.item()`", lambda: k.scale(x, y, torch.tensor(1.0)), "type")
        self.refused("`n` is an integer (i32), got 8.0", lambda: k.scale(x, y, 1, 8.0), "type")
        self.refused(">f4", lambda: k.scale_f32(x.astype(">f4"), y, 1), "type")

    def test_numbers(self):
        y = np.empty(8)
        self.refused("`b` is a i8, from -128 to 127, got 128", lambda: k.numbers(y, 1, 128, 0, 0, 0, 0, 0), "range")
        self.refused("`c` is a u64, from 0 to 18446744073709551615, got -1", lambda: k.numbers(y, 1, 0, -1, 0, 0, 0, 0), "range")
        self.refused("`a` is a bool, from 0 to 1, got 2", lambda: k.numbers(y, 2, 0, 0, 0, 0, 0, 0), "range")
        self.refused("`p.n` is an integer", lambda: k.apply((None, (1, 2, 3), True, 0), y), "type")
        self.refused("`p.factors` has 3 elements, got (1, 2)", lambda: k.apply((1, (1, 2), True, 0), y), "type")
        self.refused("lacks the field `factors`", lambda: k.apply({"n": 1}, y), "type")

    def test_what_is_left_out(self):
        x, y = random(8), random(8)
        self.refused("`y` is missing; pass a tensor, or `flyc.empty`", lambda: k.scale(x, by=1, n=8), "missing")
        self.refused("`by` is missing, and does not follow from the tensors", lambda: k.scale(x, y), "missing")
        self.refused("`x` is read by the kernel: it cannot be `flyc.empty`", lambda: k.scale_f32(flyc.empty, y, 1), "missing")
        self.refused("`x` is None, but the kernel `scale_f32` uses it", lambda: k.scale_f32(None, y, 1), "missing")
        self.refused("it has no parameter `z`; they are x, y, by, n", lambda: k.scale(x, y, 1, z=2), "missing")
        self.refused("`y` is given twice", lambda: k.scale(x, y, 1, y=y), "missing")
        self.refused("it takes 4 arguments, not 5", lambda: k.scale_f32(x, y, 1, 8, 9), "missing")

    def test_preconditions(self):
        self.refused("the precondition `n % 2 == 0` does not hold (n = 7)", lambda: k.scale(random(7), random(7), 1), "requires")

    def test_what_is_written(self):
        x, y = random(8), random(8)
        y.flags.writeable = False
        self.refused("`y` is written by the kernel, but is read-only", lambda: k.scale(x, y, 1), "read-only")
        self.refused("`y` is written by the kernel, but is read-only", lambda: k.copy_by_pointer(bytearray(2), b"34"), "read-only")
        self.refused("requires grad", lambda: k.scale(torch.zeros(8), torch.zeros(8, requires_grad=True), 1), "read-only")
        with torch.no_grad():
            k.scale(torch.zeros(8), torch.zeros(8, requires_grad=True), 1)
        both = random(12)
        self.refused("`y` is written by the kernel and overlaps `x`; pass overlap=True", lambda: k.scale(both[:8], both[4:], 1), "overlap")
        k.scale(both[:6], both[6:], 1)

    def test_devices(self):
        x, y = flyc.Array(random(8)), random(8)
        self.refused("`x` is on device 0, but `y` in host memory", lambda: k.scale(x, y, 1), "device")
        self.refused("no memory", lambda: k.scale_f32(torch.empty(8, device="meta"), torch.empty(8, device="meta"), 1), "device")

    def test_names(self):
        with self.assertRaisesRegex(AttributeError, "has no function `scales`; it has add_rows, "):
            k.scales
        self.assertIn("scale", dir(k))
        self.assertIs(k["scale"], k.scale)
        self.assertIn("x: f32 (n), in", k.scale_f32.__doc__)


if __name__ == "__main__":
    unittest.main(verbosity=0)
