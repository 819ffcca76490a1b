import ChainModel
import ChainTesting
import Demos
import Testing

/// `checkout` in other cases: sold out, cancelled, and over ten minutes.
struct CheckoutTests {
    @Test func checkoutIsSoldOut() throws {
        let run = try firstOrder(of: DemoRun("checkout", seed: 7))
        assertChain(
            run,
            matches: """
                rejected promise order 1 ! sold out: two lamps
                  rejected failed tell the customer ! sold out: two lamps
                  rejected work reserve two lamps ! sold out: two lamps
                  skipped then check
                  skipped then charge
                  skipped then send receipt
                  rejected anyway release the shelf ! sold out: two lamps
                """)
    }

    @Test func checkoutCancelledHalfWayTakesNoMoney() throws {
        let demo = try DemoRun("checkout", seed: 3)
        demo.run(until: .milliseconds(500))
        demo.recorded.cancelTree(labelled: "order 1", by: "ada")
        let run = firstOrder(of: demo)
        assertChain(
            run,
            matches: """
                cancelled promise order 1 ! cancelled by ada (by a viewer) · total 0.5s
                  cancelled failed tell the customer ! cancelled by ada (by a viewer)
                  fulfilled work reserve a bicycle = a bicycle
                  cancelled then check ! cancelled by ada (by a viewer) · total 0.5s
                    cancelled then charge ! cancelled by ada (by a viewer)
                    cancelled then send receipt ! cancelled by ada (by a viewer)
                    cancelled anyway release the shelf ! cancelled by ada (by a viewer)
                    cancelled all 3 checks ! cancelled by ada (by a viewer) · total 0.5s
                      cancelled promise address ! cancelled by ada (by a viewer) · total 0.5s
                        cancelled delay wait for it ! cancelled by ada (by a viewer) · total 0.5s
                        cancelled map read ! cancelled by ada (by a viewer)
                      fulfilled promise credit limit = 1026 € · total 0.48s
                        fulfilled delay wait for it · total 0.48s
                        fulfilled map read = 1026 €
                      cancelled promise fraud score ! cancelled by ada (by a viewer) · total 0.5s
                        cancelled delay wait for it ! cancelled by ada (by a viewer) · total 0.5s
                        cancelled map read ! cancelled by ada (by a viewer)
                """)
    }

    @Test func someOrdersFailAndFewArePending() throws {
        let demo = try DemoRun("checkout")
        demo.run(until: .seconds(600))
        let forest = demo.recorded.forest
        let orders = forest.roots.filter { forest.label(of: $0)?.hasPrefix("order ") == true }
        #expect((800...900).contains(orders.count))
        let failed = orders.filter { forest.state(of: $0) == .rejected }.count
        #expect((orders.count / 10...orders.count / 2).contains(failed))
        let live = orders.filter { forest.state(of: $0).isLive }.count
        #expect((2...15).contains(live))
    }

    /// Runs a demo until its first order has settled.
    private func firstOrder(of demo: DemoRun) -> RecordedRun {
        demo.run(until: .milliseconds(500))
        demo.context.close()
        demo.recorded.runUntilIdle()
        return demo.recorded
    }
}

// SPDX-License-Identifier: MIT
