"""same_block.py PAGE.md LANGUAGE FILE: the page's first block of the language is the file."""
import pathlib
import re
import sys

block = re.search(rf"^```{sys.argv[2]}\n(.*?)^```$", pathlib.Path(sys.argv[1]).read_text(), re.M | re.S).group(1)
if block != pathlib.Path(sys.argv[3]).read_text():
    sys.exit(f"{sys.argv[1]} shows another program than {sys.argv[3]}")
