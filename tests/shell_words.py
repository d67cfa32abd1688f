"""Paths in RUN lines, wherever the clone lies: its path may have spaces and other characters that a shell reads.

lit replaces `%t` by the bare path, so that in a folder named `my flyc` it is two words. Here every path that a RUN line
can name is one word, as if it were typed with backslashes: `%t/out`, `-I%root`, `2> %t.err`, and also within the single
quotes of `bash -c '... %t ...'`. In double quotes a backslash stays, so no path stands there: a RUN line passes it as an
argument (`%python -c "... sys.argv[1] ..." %t`), and tests/structure/run-lines.test looks for those that do not.
"""

import os
import re

import lit.formats
import lit.TestRunner


def word(path):
    """The path with a backslash before every character that a shell, or lit's, may not take as itself."""
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", path)


class ShTest(lit.formats.ShTest):
    """lit's format for shell commands, with `%s`, `%S` and `%t` as words; tests/lit.cfg.py has the other paths."""

    def execute(self, test, lit_config):
        source, (_, base) = test.getSourcePath(), lit.TestRunner.getTempPaths(test)
        paths = [("%s", source), ("%S", os.path.dirname(source)), ("%t", base + ".tmp")]
        # Those of the configuration are first, since `%t` would match the beginning of a longer name.
        first = test.config.substitutions + [(pattern, word(path)) for pattern, path in paths]
        return lit.TestRunner.executeShTest(test, lit_config, self.execute_external, first)
