"""check_metadata.py PAGE FOLDER: builds the ```fly block of the page and holds its ```json block against the metadata, which may
have further keys of objects, nothing else."""
import json, pathlib, re, subprocess, sys

page, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
source, example = (re.search(rf"^```{kind}\n(.*?)^```", page, re.M | re.S)[1] for kind in ("fly", "json"))
(folder / "scale.fly").write_text(source)
subprocess.run(["flyc", "build", "scale.fly", "--arch", "gfx942", "-o", ".", "-q"], cwd=folder, check=True)


def differences(shown, made, where):
    if isinstance(shown, dict) and isinstance(made, dict):
        return [text for key in shown for text in (differences(shown[key], made[key], f"{where}/{key}") if key in made else [f"{where}/{key}: not there"])]
    if isinstance(shown, list) and isinstance(made, list) and len(shown) == len(made):
        return [text for at, (a, b) in enumerate(zip(shown, made)) for text in differences(a, b, f"{where}/{at}")]
    return [] if shown == made and type(shown) is type(made) else [f"{where}: the page has {shown}, flyc {made}"]


found = differences(json.loads(example), json.loads((folder / "scale.json").read_text()), "")
sys.exit("\n".join(found) or 0)
