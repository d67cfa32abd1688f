"""`python -m flyc ...` is the command `flyc ...`, of the compiler that this package finds."""
from .jit import main

main()
