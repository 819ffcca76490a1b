# SPDX-License-Identifier: MIT
"""Loads a trace into the real Perfetto interface, and compares what SQL yields there with the lines of --jsonl.

perfetto.py UI-FOLDER TRACE NODES.jsonl [SHOT.png]
"""
import json
import os
import shutil
import sys
import tempfile

from browser import Page, serve

QUERY = """(async () => {
    const result = await app.trace.engine.query(%s)
    const columns = result.columns(), rows = []
    for (const row = result.iter({}); row.valid(); row.next()) rows.push(columns.map(name => {
        const value = row.get(name)
        return typeof value == 'bigint' ? Number(value) : value
    }))
    return rows
})()"""


def check(interface, trace, nodes, shot):
    with open(trace) as file:
        written = json.load(file)
    with open(nodes) as file:
        nodes = [line for line in map(json.loads, file) if line["type"] == "node"]
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(interface):
            os.symlink(os.path.join(interface, name), os.path.join(folder, name))
        shutil.copy(trace, os.path.join(folder, "trace.json"))
        url = serve(folder)
        with Page(f"{url}/#!/?url={url}/trace.json", limit=120) as page:
            page.until("globalThis.app?.trace?.engine")

            def query(sql):
                return page.run(QUERY % json.dumps(sql))

            compare(written, nodes, query)
            if shot:
                page.until("document.querySelectorAll('.pf-track').length > 3")
                page.shot(shot)


def compare(written, nodes, query):
    errors = query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    assert errors == [], f"import errors: {errors}"

    events = written["traceEvents"]
    handlers = {event["args"]["node"]: event for event in events if event["ph"] == "X"}
    slices = query(
        "select extract_arg(s.arg_set_id, 'args.node'), s.name, s.dur, t.tid, t.name from slice s"
        " join thread_track tt on s.track_id = tt.id join thread t using (utid)")
    assert len(slices) == len(handlers) > 10, f"{len(slices)} slices of {len(handlers)} handlers"
    by_node = {node["id"]: node for node in nodes}
    for number, name, duration, thread, thread_name in slices:
        node = by_node[number]
        assert (name, thread) == (handlers[number]["name"], node["threadID"]), (name, thread, node)
        assert thread_name == node["thread"], (thread_name, node)
        # JSON has seconds in binary fractions: exact to a microsecond.
        if node["run"] is not None and not node["isLive"]:
            assert abs(duration - node["run"] * 1e9) < 1_000, (duration, node)

    lanes = query("select count(distinct track_id) from slice s join process_track t on s.track_id = t.id")[0][0]
    begun = sum(event["ph"] == "b" for event in events)
    chains = query(
        "select s.depth, s.dur, s.name, extract_arg(s.arg_set_id, 'args.node'), s.parent_id from slice s"
        " join process_track t on s.track_id = t.id")
    assert len(chains) == begun and 0 < lanes <= 200, f"{len(chains)} of {begun} on {lanes} tracks"
    assert all(depth <= 1 and duration >= 0 for depth, duration, *_ in chains), "slices are not nested"
    steps = [row for row in chains if row[4] is not None]
    parents = query(
        "select extract_arg(s.arg_set_id, 'args.node'), extract_arg(p.arg_set_id, 'args.node') from slice s"
        " join slice p on s.parent_id = p.id join process_track t on s.track_id = t.id")
    assert len(parents) == len(steps)
    for number, chain in parents:
        assert by_node[number]["chain"] == chain, (number, chain)

    flows = query("select count(*) from flow")[0][0]
    wanted = sum(event["ph"] == "f" for event in events)
    assert flows == wanted > 0, f"{flows} of {wanted} flows"
    counters = query("select distinct t.name from counter c join counter_track t on c.track_id = t.id order by 1")
    assert counters == [["queued nodes"], ["running nodes"]], counters
    names = query("select name from process where name is not null")
    assert names == [[written["otherData"]["program"]]], names
    print(f"Perfetto: {len(slices)} handlers, {len(chains)} slices of chains on {lanes} tracks, {flows} flows, no errors")


if __name__ == "__main__":
    check(*sys.argv[1:4], sys.argv[4] if len(sys.argv) > 4 else None)
