"""softmax of a PyTorch tensor: softmax.py softmax.fly"""
import sys

import flyc
import torch

k = flyc.build(sys.argv[1])                # compiled once; flyc.load("softmax.json") takes what a build has written
x = torch.randn(1000, 777)
y = k.softmax_rows(x, flyc.empty)          # sizes are the tensors'; the output is allocated
print("largest error:", (y - torch.softmax(x, -1)).abs().max().item())
