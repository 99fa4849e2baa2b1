"""docs/examples/mistakes.ipynb prints what it shows: by Jupyter where nbclient is installed, and by itself.

    python3 tests/python/test_notebook.py --write      executes it and writes its outputs anew
"""

import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import unittest

NOTEBOOK = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "examples" / "mistakes.ipynb"


def executed():
    import nbclient
    import nbformat

    notebook = nbformat.read(NOTEBOOK, 4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return notebook


def code(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def printed(cell):
    streams = [one["text"] for one in cell["outputs"] if one["output_type"] == "stream"]
    return "".join("".join(text) for text in streams)


def pictures(cell):
    return sum("image/svg+xml" in one.get("data", {}) for one in cell["outputs"])


class Notebook(unittest.TestCase):
    def setUp(self):
        self.saved = code(json.loads(NOTEBOOK.read_text(encoding="utf-8")))

    def test_it_names_three_mistakes_with_pictures(self):
        text = "".join(map(printed, self.saved))
        for defect in ("wrong_pairing", "decode_at_zero", "scaling_skipped"):
            self.assertIn(defect, text)
        self.assertEqual(sum(map(pictures, self.saved)), 5)

    def test_its_code_prints_what_it_shows(self):
        names = {}
        for cell in self.saved:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), names)  # pylint: disable=exec-used
            self.assertEqual(out.getvalue(), printed(cell))

    @unittest.skipUnless(
        importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
        "nbclient and ipykernel are not installed, so that Jupyter does not execute the notebook",
    )
    def test_jupyter_executes_it(self):
        for cell, saved in zip(code(executed()), self.saved):
            self.assertEqual(printed(cell), printed(saved))
            self.assertEqual(pictures(cell), pictures(saved))


def write():
    import nbformat

    notebook = executed()
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("text/html", None)
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
