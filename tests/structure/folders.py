"""The list of folders, cmake/Folders.cmake, as scripts/folder_table.py reads it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from folder_table import folders as read  # noqa: E402,F401


def whole(root, name):
    """`layout` of the list as compiler/layout, `emulator/wave` as runtime/emulator/wave."""
    for prefix in ("", "compiler/", "runtime/"):
        if (root / (prefix + name)).is_dir():
            return prefix + name
    return name
