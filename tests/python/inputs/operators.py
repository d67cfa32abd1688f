"""flyc's functions as operators of PyTorch: results, fake implementations, gradients. operators.py SOFTMAX.json BACKWARD.json"""
import sys

import flyc
import flyc.torch
import torch

k, b = flyc.load(sys.argv[1]), flyc.load(sys.argv[2])
ops = flyc.torch.register(k, backward={"softmax_rows": b.softmax_backward})
namespace = torch.ops.flyc_softmax


def close(a, c, bound):
    difference = (a.double() - c.double()).abs().max().item()
    assert difference < bound, difference


x = torch.randn(5, 100)
close(ops.softmax_rows(x), torch.softmax(x.double(), -1), 1e-6)
y = torch.empty_like(x)
assert namespace.softmax_rows_(x, y) is None
assert torch.equal(y, namespace.softmax_rows(x))
print("schemas:", namespace.softmax_rows.default._schema, "|", namespace.softmax_rows_.default._schema)

fake = ops.softmax_rows(torch.empty(7, 9, dtype=torch.float16, device="meta"))
assert fake.device.type == "meta" and fake.shape == (7, 9) and fake.dtype == torch.float16
try:
    ops.softmax_rows(torch.empty(7, 9, dtype=torch.float64, device="meta"))
except flyc.ArgumentError as error:
    print("refused:", error)

x.requires_grad_()
weights = torch.randn(5, 100)
(ops.softmax_rows(x) * weights).sum().backward()
exact = x.detach().double().requires_grad_()
(torch.softmax(exact, -1) * weights.double()).sum().backward()
close(x.grad, exact.grad, 1e-6)
with torch.no_grad():
    assert not ops.softmax_rows(x).requires_grad
assert torch.autograd.gradcheck(lambda z: ops.softmax_rows(z), torch.randn(2, 3, requires_grad=True), eps=1e-2, atol=1e-3, rtol=1e-2)

try:
    flyc.torch.register(k, namespace="again", backward={"softmax_rows": b.rmsnorm_backward})
except ValueError as error:
    print("refused:", error)
print("operators: right")
