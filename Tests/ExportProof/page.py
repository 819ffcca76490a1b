# SPDX-License-Identifier: MIT
"""Opens exported pages in a browser: views, filter, keys, mouse, light and dark.

page.py PAGE.html NODES.jsonl HOSTILE.html
"""
import json
import os
import sys

from browser import Page

NAMES = "[...document.querySelectorAll('.row[data-index] .name')].map(name => name.textContent)"


def check(path, nodes, hostile):
    with open(nodes) as file:
        nodes = [node for node in map(json.loads, file) if node["type"] == "node"]
    with Page("file://" + os.path.abspath(path), size=(1200, 760)) as page:
        assert page.run("nodes.length") == len(nodes) > 20
        views(page)
        filters(page, nodes)
        folds(page)
        colors(page)
        assert page.problems == [], page.problems
        requests = page.run("performance.getEntriesByType('resource').length")
        assert requests == 0, f"{requests} requests"
    with Page("file://" + os.path.abspath(hostile)) as page:
        assert page.run("document.querySelectorAll('script').length") == 2
        assert page.run("document.querySelectorAll('b, img, iframe').length") == 0
        label = page.run("nodes.find(node => node.id === 10).label")
        assert "</script><b>" in label and "\0" in label, label
        page.key("Enter")
        assert page.run(NAMES + ".some(name => name.includes('</script><b>'))")
        assert page.problems == [], page.problems
    print(f"Page: {len(nodes)} nodes, filtered, folded, light and dark; nothing fetched, no errors")


def views(page):
    for key, name in [("2", "Timeline"), ("3", "Sites"), ("4", "Warnings"), ("1", "Tree")]:
        page.key(key)
        assert page.run("document.querySelector('[aria-selected=true]').textContent").startswith(f"{key} {name}")
        page.shot(f"page-{name.lower()}.png")
    page.click("nav button:nth-child(3)")
    assert page.run("document.querySelectorAll('tbody tr').length") == page.run("data.sites.length") > 5
    first = page.run("document.querySelector('tbody tr').textContent")
    page.click("th:nth-child(1)")
    assert page.run("document.querySelector('tbody tr').textContent") != first, "the order did not change"
    page.run("view.style.flex = 'none'; view.style.height = '60px'")
    for key, top in [("j", "rowHeight"), ("k", "0"), ("G", "view.scrollHeight - view.clientHeight"), ("g", "0")]:
        page.key(key)
        assert page.run(f"Math.abs(view.scrollTop - ({top})) <= 1"), f"{key} scrolls to {page.run('view.scrollTop')}"
    page.run("view.style.flex = view.style.height = ''")
    page.key("1")


def filters(page, nodes):
    rejected = [node for node in nodes if node["state"] == "rejected"]
    page.key("/")
    page.type("state:rejected")
    assert page.run("count.textContent") == f"{len(rejected)} of {len(nodes)} nodes"
    matching = page.run("document.querySelectorAll('.row[data-index]:not(.context) .rejected').length")
    assert matching >= min(len(rejected), 1), "no match is shown"
    page.key("Escape")
    assert page.run("count.textContent") == f"{len(nodes)} nodes"
    page.key("/")
    page.type("charge -fulfilled")
    page.shot("page-filter.png")
    assert page.run("matches.size") > 0
    page.key("Escape")
    assert page.run("document.activeElement.id") == "view"


def folds(page):
    page.key("g")
    page.key("Enter")
    assert page.run("detail.textContent").startswith("node#")
    page.shot("page-details.png")
    before = page.run("shown.length")
    page.key("ArrowLeft")
    folded = page.run("shown.length")
    assert folded < before
    page.key("ArrowDown")
    assert page.run("nodes[chosen].root") and page.run("chosen") > 1
    page.click(".fold")
    assert page.run("shown.length") == before
    page.key("Escape")
    assert page.run("detail.hidden")


def colors(page):
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.run(background)
    page.dark(True)
    dark = page.run(background)
    assert light == "rgb(255, 255, 255)" and dark != light, (light, dark)
    page.key("2")
    page.shot("page-dark.png")
    page.key("t")
    assert page.run(background) == light
    page.click("#theme")
    assert page.run(background) == dark


if __name__ == "__main__":
    check(*sys.argv[1:4])
