# SPDX-License-Identifier: MIT
"""Exports a recording to the real collector rotel, and compares what it prints with the lines of --jsonl.

otlp.py CHAINVIEW RECORDING NODES.jsonl
"""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

import rotel


def free_port():
    """Returns a port of the loopback address that was free just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait(condition, what, seconds=30):
    """Waits until a condition is true; `what` names it in the error."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"never: {what}")
        time.sleep(0.05)


def listens(port):
    """Returns whether a program listens on a port of the loopback address."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def exported(chainview, recording, log):
    """Exports a recording to a collector that prints to `log`; returns the number of spans that chainview sent."""
    port = free_port()
    agent = os.path.join(os.path.dirname(rotel.__file__), "rotel-agent")
    collector = subprocess.Popen(
        [agent, "start", "--otlp-http-endpoint", f"127.0.0.1:{port}", "--otlp-grpc-endpoint",
         f"127.0.0.1:{free_port()}", "--exporter", "blackhole", "--debug-log", "traces",
         "--debug-log-verbosity", "detailed"], stdout=log, stderr=subprocess.STDOUT)
    try:
        wait(lambda: listens(port), "the collector listens")
        done = subprocess.run(
            [chainview, "export", recording, "--otlp", f"http://127.0.0.1:{port}"], capture_output=True, text=True,
            timeout=60)
        assert done.returncode == 0, done.stderr
        count = int(re.search(r"sent ([\d,]+) spans? to", done.stderr)[1].replace(",", ""))
        wait(lambda: open(log.name).read().count("\nSpan #") >= count, f"the collector prints {count} spans")
        return count
    finally:
        collector.terminate()
        collector.wait(10)


def printed(text):
    """Returns the spans of the collector's log, by id."""
    spans = {}
    for part in text.split("\nSpan #")[1:]:
        fields = dict(re.findall(r"^    (\S.*?) *: (.*)$", part, re.M))
        fields["attributes"] = dict(re.findall(r"^     -> (\S+): \w+\((.*)\)$", part, re.M))
        spans[int(fields["ID"], 16)] = fields
    return spans


def check(chainview, recording, nodes):
    with open(nodes) as file:
        nodes = [json.loads(line) for line in file]
    run = nodes[0]["run"]
    settled = {node["id"]: node for node in nodes if node["type"] == "node" and node["settledAt"] is not None}
    with tempfile.NamedTemporaryFile("w") as log:
        count = exported(chainview, recording, log)
        with open(log.name) as file:
            spans = printed(file.read())
    assert count == len(settled) == len(spans) > 10, f"{count} sent, {len(settled)} settled, {len(spans)} printed"
    for number, node in settled.items():
        span = spans[number]
        parent = int(span["Parent ID"] or "0", 16)
        assert parent == (node["under"] or 0), (span, node)
        assert span["Trace ID"] == run + format(node["chain"], "016x"), (span, node)
        assert node["kind"] in span["Name"], (span, node)
        codes = {"fulfilled": "OK", "rejected": "ERROR", "abandoned": "ERROR", "cancelled": "ERROR"}
        assert span["Status code"].endswith(codes.get(node["state"], "UNSET")), (span, node)
        if node["file"]:
            assert span["attributes"]["code.file.path"] == node["file"], (span, node)
        if node["thread"]:
            assert span["attributes"]["thread.name"] == node["thread"], (span, node)
    print(f"OTLP: {count} spans accepted by rotel, with their parents")


if __name__ == "__main__":
    check(*sys.argv[1:4])
