"""The kinds of random kernels and how often each is made."""

import exact
import soup
from choice import Chooser


def make_exact(random, counts, name, arch):
    return exact.exact_kernel(random, Chooser(random, counts), name)


KINDS = {"exact": make_exact, "soup": soup.soup_kernel}
WEIGHTS = {"exact": 2, "soup": 6}
