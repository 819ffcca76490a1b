import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// Nodes with a parent in another process.
@Suite struct RemoteParentTests {
    private static func key(_ process: UInt64, _ node: UInt64) -> NodeKey {
        NodeKey(process: ProcessKey(rawValue: process), id: NodeID(node))
    }

    @Test func keysAreReadAsTheyAreWritten() {
        for key in [Self.key(0, 1), Self.key(.max, .max), Self.key(0x1f3a, 42)] {
            #expect(NodeKey(text: key.text) == key)
        }
        #expect(Self.key(0x1f3a, 42).text == "1f3a-2a")
        for text in ["", "-", "1-", "-1", "1", "1-0", "1-2-3", "1-g", "+1-2", "1-+2", "1ffffffffffffffff-1"] {
            #expect(NodeKey(text: text) == nil, "\(text)")
        }
    }

    @Test func callersAndCalledNodesAreFoundInAnyOrder() {
        let (first, second) = (Self.key(7, 1), Self.key(7, 2))
        for texts in [[first.text, second.text, "nonsense"], ["", second.text, first.text]] {
            var script = ScriptedForest()
            script.make(1, .span, "GET", at: 10)
            for text in texts { script.record(.remoteParent, 1, at: 20, text: text) }
            script.record(.remoteParent, 2, at: 5, text: first.text)
            script.make(2, .span, "POST", at: 6)
            #expect(script.forest.remoteParent(of: script.index(1)) == first)
            #expect(Set(script.forest.nodes(withRemoteParent: first)) == [script.index(1), script.index(2)])
            #expect(script.forest.nodes(withRemoteParent: second).isEmpty)
        }
    }

    @Test func evictedNodesLeaveNothing() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 3, settledLeafLimit: 3))
        for number in 1...100 as ClosedRange<UInt64> {
            script.make(number, .span, at: number * 10)
            script.record(.remoteParent, number, at: number * 10 + 1, text: Self.key(7, 1 + number % 2).text)
            script.record(.fulfilled, number, at: number * 10 + 2)
        }
        #expect(script.forest.evictSettled(now: 2_000) > 90)
        let kept = [1, 2].flatMap { script.forest.nodes(withRemoteParent: Self.key(7, $0)) }
        #expect(kept.count == script.forest.totals.nodeCount)
        #expect(kept.count < 10)
    }
}

// SPDX-License-Identifier: MIT
