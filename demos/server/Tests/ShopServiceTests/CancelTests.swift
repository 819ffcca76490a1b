import ChainInspector
import PromiseRuntime
import ShopService
import Testing

/// Cancellations from outside, as by a viewer, and the answers that clients get.
@Suite(.timeLimit(.minutes(5)))
struct CancelTests {
    @Test func theClientOfACancelledChainIsAnsweredAtOnce() async throws {
        try await Running.inspected { running, inspector in
            async let anna = running.get("/wait?ms=600000", as: "anna")
            async let ben = running.get("/wait?ms=600000", as: "ben")
            let annas = try await running.promise(labelled: "wait for anna")
            let bens = try await running.promise(labelled: "wait for ben")

            #expect(inspector.cancel(annas, by: "carla"))
            let answer = try await anna
            #expect(answer.status == 503)
            #expect(answer.fields["error"] as? String == "cancelled")
            #expect(answer.fields["cancelledBy"] as? String == "carla")
            #expect(answer.fields["node"] as? UInt64 == annas.id.rawValue)

            #expect(!bens.isSettled, "nobody cancelled that one")
            #expect(inspector.cancel(bens, withItsChain: true, by: "carla"))
            #expect(try await ben.fields["node"] as? UInt64 == bens.id.rawValue)
        }
    }

    @Test func cancellingWhatAChainWaitsForReadsTheSame() async throws {
        try await Running.inspected { running, inspector in
            async let answer = running.get("/wait?ms=599999")
            let timer = try await running.promise(labelled: "599999 ms")
            #expect(inspector.cancel(timer, by: "carla"))
            #expect(try await answer.status == 503)
            #expect(try await answer.fields["cancelledBy"] as? String == "carla")
        }
    }

    /// The hash would go on for minutes if it did not check for cancellation.
    @Test func theWorkOfACancelledChainEnds() async throws {
        try await Running.inspected { running, inspector in
            async let answer = running.get("/report?mb=65536")
            try await running.eventually("the work") { inspector.dump().contains("running") ? () : nil }
            let report = try await running.promise(labelled: "report")
            #expect(inspector.cancel(report, withItsChain: true, by: "carla"))
            #expect(try await answer.status == 503)
            try await running.eventually("the end of the work") {
                let tree = inspector.dump()
                return tree.contains("running") || tree.contains(" still on ") ? nil : ()
            }
        }
    }

    /// Order 35 is a hard case, and one of its articles is sold out, so that nothing waits for the bureau.
    @Test func anOrderThatFailsStopsWhatElseItAskedFor() async throws {
        try await Running.inspected(patience: .seconds(400)) { running, inspector in
            let answer = try await running.get("/order/35")
            #expect(answer.status == 409)
            #expect(answer.fields["error"] as? String == "sold out: globe")
            try await running.eventually("the cancelled request") {
                inspector.dump(settled: true).contains("GET /fraud/35: cancelled by program")
                    ? () : nil
            }
        }
    }
}

extension Inspector {
    /// Cancels a promise; returns whether the request was accepted.
    fileprivate func cancel(_ promise: AnyPromise, withItsChain: Bool = false, by viewer: String) -> Bool {
        let reply = perform(
            .init(
                id: 1, process: info.key,
                request: .cancel(withItsChain ? .chain(promise.id) : .node(promise.id), by: viewer)))
        if case .accepted = reply.outcome { return true }
        return false
    }
}

// SPDX-License-Identifier: MIT
