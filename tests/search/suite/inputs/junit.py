"""junit.py FILE: the file is XML, and says what the two files with checks did on two architectures."""
import sys
import xml.etree.ElementTree as tree

suites = tree.parse(sys.argv[1]).getroot()
assert suites.tag == "testsuites"
rows = [
    (s.get("name"), s.get("tests"), s.get("failures"), s.get("errors"),
     [(c.get("name"), c.find("failure") is not None) for c in s])
    for s in suites
]
passing = [("doubles seed=1", False), ("doubles seed=2", False)]
failing = [('fills what="<1 & 2>"', True), ('fills what="right"', False)]
wanted = [
    (f"folder/{name}.fly {arch}", "2", failures, "0", cases)
    for name, failures, cases in (("a", "0", passing), ("below/b", "1", failing))
    for arch in ("gfx942", "gfx1201")
]
assert rows == wanted, rows
message = suites[2].find("testcase/failure")
assert "the result differs" in message.text and "the result differs" in message.get("message"), message.text
