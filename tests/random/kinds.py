"""The kinds of random kernels and how often each is made."""

import amd
import exact
import large
import single
import soup
import tensors
from choice import Chooser


def make_exact(random, counts, name, arch):
    return exact.exact_kernel(random, Chooser(random, counts), name)


def make_family(random, counts, name, arch):
    return exact.exact_kernel(random, Chooser(random, counts), name, families=exact.FAMILIES)


KINDS = {
    "exact": make_exact,
    "families": make_family,
    "single": single.single_kernel,
    "soup": soup.soup_kernel,
    "views": tensors.view_kernel,
    "copies": tensors.copy_kernel,
    "packed": tensors.packed_kernel,
    "matrix": tensors.matrix_kernel,
    "amd": amd.amd_kernel,
    "stages": amd.stages_kernel,
    "large": large.large_kernel,
    "products": large.products_kernel,
}
WEIGHTS = {
    "exact": 3,
    "families": 2,
    "single": 0.5,
    "soup": 10,
    "views": 2,
    "copies": 2,
    "packed": 0.5,
    "matrix": 1,
    "amd": 1,
    "stages": 0.5,
    "large": 0.5,
    "products": 1,
}
