import ChainTesting
import PromiseRuntime
import Testing

@Suite struct PromiseScopeTests {
    @Test func aPromiseScopeStandsAroundAChain() {
        let run = RecordedRun()
        run.record { Promise.scope("order 17") { Promise.resolve(2, label: "stock").map(label: "price") { $0 * 4 } } }
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled promise order 17 = 8
                  fulfilled resolve stock = 2
                  fulfilled map price = 8
                """)
    }
}

// SPDX-License-Identifier: MIT
