# SPDX-License-Identifier: MIT
"""Has the real Mermaid parse and draw flowcharts, and compares the texts that it draws.

mermaid.py MERMAID-FOLDER CHART...
"""
import json
import os
import re
import sys
import tempfile

from browser import Page, serve


def texts(chart):
    """Returns the first line of each node's text by its number, with Mermaid's character codes (`#34;`) decoded."""
    names = re.findall(r'^  n(\d+)\["(.*?)<br/>', chart, re.M)
    return {number: re.sub(r"#(\d+);", lambda match: chr(int(match[1])), name) for number, name in names}


def check(library, charts):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/index.html", "w") as file:
            file.write("<!doctype html><meta charset=utf-8><body></body>")
        os.symlink(os.path.abspath(library), f"{folder}/mermaid")
        with Page(serve(folder)) as page:
            page.run("import('/mermaid/index.js').then(all => { globalThis.mermaid = all.default ?? all.mermaid })")
            page.run("mermaid.initialize({startOnLoad: false, securityLevel: 'strict'})")
            for path in charts:
                with open(path) as file:
                    chart = file.read()
                kind = page.run(f"mermaid.parse({json.dumps(chart)}).then(result => result.diagramType)")
                assert kind.startswith("flowchart"), kind
                drawn = page.run(
                    f"""mermaid.render('chart', {json.dumps(chart)}).then(result => {{
                        document.body.innerHTML = result.svg
                        return [...document.querySelectorAll('.node')].map(node =>
                            [node.id.match(/-n(\\d+)-/)[1], node.textContent])
                    }})""")
                wanted = texts(chart)
                assert len(drawn) == len(wanted) > 5, f"{path}: {len(drawn)} of {len(wanted)} nodes"
                for number, text in drawn:
                    assert text.startswith(wanted[number]), f"{path}: {text!r} for {wanted[number]!r}"
                edges = page.run("document.querySelectorAll('.edgePaths path').length")
                assert edges == chart.count(" --> ") + chart.count(" .-> "), f"{path}: {edges} edges"
                print(f"Mermaid: {len(drawn)} nodes and {edges} edges of {path}")
                page.shot("mermaid.png")


if __name__ == "__main__":
    check(sys.argv[1], sys.argv[2:])
