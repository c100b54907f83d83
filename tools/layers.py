"""The order of the folders in src/, lowest first, as CMake and the checks know it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def plugin_folders():
    """The folders whose every .cc file is a plug-in: the list in src/CMakeLists.txt."""
    text = (ROOT / "src/CMakeLists.txt").read_text()
    return re.search(r"set\(plugin_folders ([^)]*)\)", text).group(1).split()


def ranks():
    """Folder -> place in the order. Folders of one place do not see each other."""
    plugins = [folder for folder in plugin_folders() if folder != "fleets"]
    order = [
        ["base"],
        ["math"],
        ["clustering", "robust"],
        ["groups"],
        ["data"],
        [*plugins, "fleet"],
        ["fleets", "methods", "adversary"],
        ["run"],
        ["report", "use"],
        ["library"],
        ["fit"],
        ["reproduce"],
    ]
    return {folder: rank for rank, folders in enumerate(order) for folder in folders}
