import ChainTesting
import Demos
import Testing

/// How each demo runs, to the promise, under virtual time.
struct DemoTests {
    @Test func stepsMakeFour() throws {
        let demo = try DemoRun("steps")
        demo.run(until: .seconds(11))
        assertChain(
            demo.recorded,
            matches: """
                fulfilled promise steps = 4 · total 10s
                  fulfilled done that makes four
                  fulfilled delay · total 2.5s
                  fulfilled map plus one = 1
                  fulfilled then second = 2 · total 2.5s
                    fulfilled then third = 3 · total 2.5s
                      fulfilled then fourth = 4 · total 2.5s
                        fulfilled delay · total 2.5s @7.5s
                        fulfilled map plus one = 4 @7.5s
                      fulfilled delay · total 2.5s @5s
                      fulfilled map plus one = 3 @5s
                    fulfilled delay · total 2.5s @2.5s
                    fulfilled map plus one = 2 @2.5s
                """)
    }

    @Test func theSecondStepIsUnderWayAfterThreeSeconds() throws {
        let demo = try DemoRun("steps")
        demo.run(until: .seconds(3))
        assertChain(
            demo.recorded,
            matches: """
                pending promise steps · total 3s
                  waiting done that makes four
                  fulfilled delay · total 2.5s
                  fulfilled map plus one = 1
                  pending then second · total 0.5s
                    waiting then third
                    waiting then fourth
                    pending delay · total 0.5s @2.5s
                    waiting map plus one @2.5s
                """)
    }

    @Test func theRefusedTripTakesThePlaceOfThePhoto() throws {
        let demo = try DemoRun("trip")
        demo.run(until: .seconds(5))
        assertChain(
            demo.recorded,
            matches: """
                fulfilled promise trip 1 = Lisbon: 21 °C, light wind · total 3.9s
                  fulfilled delay · total 0.6s
                  fulfilled map photo = IMG_2041.jpg
                  fulfilled then where is it? = Lisbon · total 0.9s
                    fulfilled then show on the map = Lisbon · total 0.9s
                      fulfilled then ask to locate = Lisbon · total 0.8s
                        fulfilled then weather = Lisbon: 21 °C, light wind · total 0.7s
                          fulfilled delay · total 0.7s @3.2s
                          fulfilled map forecast = Lisbon: 21 °C, light wind @3.2s
                            fulfilled timeout = Lisbon: 21 °C, light wind @3.2s
                        fulfilled delay the user thinks · total 0.8s @2.4s
                        rejected map locate ! the user said no to location @2.4s
                        fulfilled catch use the photo's town = Lisbon @2.4s
                      fulfilled sequence layers = ["streets", "water", "names"] · total 0.9s @1.5s
                        fulfilled map draw = Lisbon @1.5s
                        fulfilled delay streets · total 0.3s @1.5s
                        fulfilled map drawn = streets @1.5s
                        fulfilled delay water · total 0.3s @1.8s
                        fulfilled map drawn = water @1.8s
                        fulfilled delay names · total 0.3s @2.1s
                        fulfilled map drawn = names @2.1s
                    fulfilled any the first answer = Lisbon · total 0.9s @0.6s
                      fulfilled promise its tags = Lisbon · total 0.9s @0.6s
                        fulfilled delay look · total 0.9s @0.6s
                        fulfilled map found = Lisbon @0.6s
                      fulfilled promise a landmark in it = Lisboa, Belém · total 1.6s @0.6s
                        fulfilled delay look · total 1.6s @0.6s
                        fulfilled map found = Lisboa, Belém @0.6s
                """)
    }

    @Test func losersOfTheMirrorsRunOn() throws {
        let demo = try DemoRun("mirrors", capturesValues: false)
        demo.run(until: .milliseconds(2500))
        assertChain(
            demo.recorded,
            matches: """
                fulfilled promise download 1 · total 1.98s
                  fulfilled race the first of 4 · total 1.98s
                    fulfilled promise Lisbon · total 1.98s
                      fulfilled delay connect · total 0.93s
                      fulfilled then fetch · total 1.05s
                        fulfilled map verify
                        fulfilled delay 4.1 MB · total 1.05s @0.93s
                    pending promise Oslo · total 2.5s
                      fulfilled delay connect · total 0.54s
                      pending then fetch · total 1.96s
                        waiting map verify
                        pending delay 4.1 MB · total 1.96s @0.54s
                    pending promise Prague · total 2.5s
                      fulfilled delay connect · total 0.86s
                      pending then fetch · total 1.64s
                        waiting map verify
                        pending delay 4.1 MB · total 1.64s @0.86s
                    pending promise Turin · total 2.5s
                      fulfilled delay connect · total 0.4s
                      pending then fetch · total 2.1s
                        waiting map verify
                        pending delay 4.1 MB · total 2.1s @0.4s
                    fulfilled map unpack
                """)
        demo.context.close()
        demo.run(until: .seconds(8))
        #expect(demo.recorded.forest.totals.counts.liveCount == 0)
    }

    @Test func whatIsStuckStaysStuck() throws {
        let demo = try DemoRun("stuck", capturesValues: false)
        demo.run(until: .seconds(3600))
        assertChain(
            demo.recorded,
            matches: """
                pending pending answer from the other office · total 3600s
                waiting map read it
                waiting failed complain
                fulfilled delay call back in 2 s · total 2s
                abandoned then forget to ! abandoned: the resolver of the promise made at Stuck.swift:42 (call) was released; keep it until it settles
                  abandoned failed apologise ! abandoned: the resolver of the promise made at Stuck.swift:42 (call) was released; keep it until it settles
                  abandoned pending call ! abandoned: the resolver of the promise made at Stuck.swift:42 (call) was released; keep it until it settles @2s
                fulfilled work wait at the desk
                fulfilled done go home
                """)
    }

    /// The bank declines the first order of this seed: its shelf is released, and no receipt is sent.
    @Test func aDeclinedOrderReleasesTheShelf() throws {
        assertChain(
            try firstOrder(seed: 30),
            matches: """
                rejected promise order 1 ! declined: card expired · total 1.29s
                  rejected failed tell the customer ! declined: card expired
                  fulfilled work reserve a bicycle = a bicycle
                  fulfilled then check = ["found", "855 €", "0.12"] · total 1.29s
                    rejected then charge ! declined: card expired
                      skipped then send receipt
                      rejected anyway release the shelf ! declined: card expired
                      rejected retry bank ! declined: card expired @1.29s
                        rejected attempt bank 1 of 3 ! declined: card expired @1.29s
                          rejected work charge 285 € ! declined: card expired @1.29s
                    fulfilled all 3 checks = ["found", "855 €", "0.12"] · total 1.29s
                      fulfilled promise address = found · total 0.65s
                        fulfilled delay wait for it · total 0.65s
                        fulfilled map read = found
                      fulfilled promise credit limit = 855 € · total 0.67s
                        fulfilled delay wait for it · total 0.67s
                        fulfilled map read = 855 €
                      fulfilled promise fraud score = 0.12 · total 1.29s
                        fulfilled delay wait for it · total 1.29s
                        fulfilled map read = 0.12
                """)
    }

    /// One check refuses the first order of this seed: the pending ones are cancelled, with the work that they wait for.
    @Test func aSuspiciousOrderIsCheckedNoFurther() throws {
        assertChain(
            try firstOrder(seed: 17),
            matches: """
                rejected promise order 1 ! fraud score 0.97: refused · total 0.59s
                  rejected failed tell the customer ! fraud score 0.97: refused
                  fulfilled work reserve a kettle = a kettle
                  rejected then check ! fraud score 0.97: refused · total 0.59s
                    skipped then charge
                    skipped then send receipt
                    rejected anyway release the shelf ! fraud score 0.97: refused
                    rejected all 3 checks ! fraud score 0.97: refused · total 0.59s
                      cancelled promise address ! cancelled by program: lost to another member · total 0.59s
                        cancelled delay wait for it ! cancelled by program: lost to another member · total 0.59s
                        cancelled map read ! cancelled by program: lost to another member
                      cancelled promise credit limit ! cancelled by program: lost to another member · total 0.59s
                        cancelled delay wait for it ! cancelled by program: lost to another member · total 0.59s
                        cancelled map read ! cancelled by program: lost to another member
                      rejected promise fraud score ! fraud score 0.97: refused · total 0.59s
                        fulfilled delay wait for it · total 0.59s
                        rejected map read ! fraud score 0.97: refused
                """)
    }

    /// The bank does not answer the first order of this seed at first: it is asked again twice.
    @Test func aBankThatIsDownIsAskedAgain() throws {
        assertChain(
            try firstOrder(seed: 1),
            matches: """
                fulfilled promise order 1 = 112 € paid · total 3.12s
                  skipped failed tell the customer
                  fulfilled work reserve a globe = a globe
                  fulfilled then check = ["found", "336 €", "0.12"] · total 1.22s
                    fulfilled then charge = 112 € paid · total 1.6s
                      fulfilled then send receipt = 112 € paid · total 0.3s
                        fulfilled anyway release the shelf = 112 € paid
                        fulfilled delay mail server · total 0.3s @2.82s
                        fulfilled map = 112 € paid @2.82s
                      fulfilled retry bank = 112 € paid · total 1.6s @1.22s
                        rejected attempt bank 1 of 3 ! bank unreachable @1.22s
                          rejected work charge 112 € ! bank unreachable @1.22s
                        fulfilled delay bank before 2 of 3 · total 0.8s @1.22s
                        rejected attempt bank 2 of 3 ! bank unreachable @2.02s
                          rejected work charge 112 € ! bank unreachable @2.02s
                        fulfilled delay bank before 3 of 3 · total 0.8s @2.02s
                        fulfilled attempt bank 3 of 3 = 112 € paid @2.82s
                          fulfilled work charge 112 € = 112 € paid @2.82s
                    fulfilled all 3 checks = ["found", "336 €", "0.12"] · total 1.22s
                      fulfilled promise address = found · total 1.22s
                        fulfilled delay wait for it · total 1.22s
                        fulfilled map read = found
                      fulfilled promise credit limit = 336 € · total 0.96s
                        fulfilled delay wait for it · total 0.96s
                        fulfilled map read = 336 €
                      fulfilled promise fraud score = 0.12 · total 0.7s
                        fulfilled delay wait for it · total 0.7s
                        fulfilled map read = 0.12
                """)
    }

    /// The tank is empty for the third cup; the whole recipe is on the screen before its first step runs.
    @Test func theThirdCupFillsTheTank() throws {
        let demo = try DemoRun("coffee")
        demo.run(until: .milliseconds(4_000))
        demo.context.close()
        demo.run(until: .seconds(20))
        assertChain(
            demo.recorded,
            matches: """
                fulfilled chain cup 1 = cup 1
                  fulfilled all prepare = ["18 g", "93 °C"] · total 0.86s
                    fulfilled chain beans = cup 1
                    fulfilled then grind · total 0.86s
                      fulfilled map weigh = 18 g
                      fulfilled delay · total 0.86s
                    fulfilled chain water = cup 1
                    fulfilled map look into the tank
                    skipped recover fill the tank
                    fulfilled then heat · total 0.6s
                      fulfilled map measure = 93 °C
                      fulfilled delay · total 0.6s
                    fulfilled then brew = 18 g, 93 °C · total 1.2s
                      fulfilled map serve = espresso of 18 g, 93 °C
                      fulfilled delay · total 1.2s @0.86s
                      fulfilled map = 18 g, 93 °C @0.86s
                fulfilled chain cup 2 = cup 2 @2s
                  fulfilled all prepare = ["18 g", "93 °C"] · total 0.77s @2s
                    fulfilled chain beans = cup 2 @2s
                    fulfilled then grind · total 0.77s @2s
                      fulfilled map weigh = 18 g @2s
                      fulfilled delay · total 0.77s @2s
                    fulfilled chain water = cup 2 @2s
                    fulfilled map look into the tank @2s
                    skipped recover fill the tank @2s
                    fulfilled then heat · total 0.6s @2s
                      fulfilled map measure = 93 °C @2s
                      fulfilled delay · total 0.6s @2s
                    fulfilled then brew = 18 g, 93 °C · total 1.2s @2s
                      fulfilled map serve = espresso of 18 g, 93 °C @2s
                      fulfilled delay · total 1.2s @2.77s
                      fulfilled map = 18 g, 93 °C @2.77s
                fulfilled chain cup 3 = cup 3 @4s
                  fulfilled all prepare = ["18 g", "93 °C"] · total 1.4s @4s
                    fulfilled chain beans = cup 3 @4s
                    fulfilled then grind · total 0.77s @4s
                      fulfilled map weigh = 18 g @4s
                      fulfilled delay · total 0.77s @4s
                    fulfilled chain water = cup 3 @4s
                    rejected map look into the tank ! the tank is empty @4s
                    fulfilled recover fill the tank · total 0.8s @4s
                      fulfilled then heat · total 0.6s @4s
                        fulfilled map measure = 93 °C @4s
                        fulfilled delay · total 0.6s @4.8s
                      fulfilled delay · total 0.8s @4s
                    fulfilled then brew = 18 g, 93 °C · total 1.2s @4s
                      fulfilled map serve = espresso of 18 g, 93 °C @4s
                      fulfilled delay · total 1.2s @5.4s
                      fulfilled map = 18 g, 93 °C @5.4s
                """)
    }

    /// The third feed takes longer than 2 s: its task is cancelled.
    @Test func aSlowFeedIsLeftOut() throws {
        let demo = try DemoRun("pages")
        demo.context.close()
        demo.run(until: .seconds(5))
        assertChain(
            demo.recorded,
            matches: """
                fulfilled promise page 1 = news of page 1 with pictures, sport of page 1 with pictures, no weather · total 2s
                  fulfilled promise news = news of page 1 with pictures · total 1.19s
                    fulfilled timeout within 2 s = news of page 1 with pictures
                    skipped catch leave it out
                  fulfilled promise sport = sport of page 1 with pictures · total 1.91s
                    fulfilled timeout within 2 s = sport of page 1 with pictures
                    skipped catch leave it out
                  cancelled promise weather ! cancelled by program: timed out after 2.0 seconds · total 2s
                    rejected timeout within 2 s ! timed out after 2.0 seconds
                    fulfilled catch leave it out = no weather
                  fulfilled all 3 feeds = ["news of page 1 with pictures", "sport of page 1 with pictures", "no weather"] · total 2s
                  fulfilled map lay out = news of page 1 with pictures, sport of page 1 with pictures, no weather
                """)
    }

    @Test func hailFallsAsOftenAsTheSeedDecides() throws {
        let demo = try DemoRun("storm")
        demo.run(until: .seconds(1))
        let chainCount = 51 * 8  // Eight drops every 20 ms, at the first moment and at the last.
        let totals = demo.recorded.forest.totals
        #expect(totals.chainCount == chainCount)
        #expect(totals.nodeCount == chainCount * 4)
        #expect(totals.counts[.pending] == 312)
        #expect(totals.counts[.waiting] == 312 * 3)

        demo.context.close()
        demo.run(until: .seconds(4))
        let counts = demo.recorded.forest.totals.counts
        let hailCount = 19
        // "falls" of hail.
        #expect(counts[.rejected] == hailCount)
        // "splashes" of hail, "bounces" of rain.
        #expect(counts[.skipped] == chainCount)
        #expect(counts[.fulfilled] == 3 * chainCount - hailCount)
    }

    @Test func theCounterShowsWhatAnActionSetsOff() throws {
        let demo = try DemoRun("counter")
        demo.run(until: .seconds(1.6))
        assertChain(
            demo.recorded,
            matches: """
                fulfilled work show 0
                fulfilled work action add 2 = 2, 0 saved
                  fulfilled work show 2 = ▪▪
                  fulfilled delay save 2 · total 0.44s
                  fulfilled map answer = saved 2
                  skipped catch try again
                  fulfilled done next action
                    fulfilled work action saved 2 = 2, saved @0.44s
                fulfilled work action add 1 = 3, 2 saved @1.5s
                  fulfilled work show 3 = ▪▪▪ @1.5s
                  pending delay save 3 · total 0.1s @1.5s
                  waiting map answer @1.5s
                  waiting catch try again @1.5s
                  waiting done next action @1.5s
                """)
    }

    @Test func theCounterHasOneSavePendingAndEndsSaved() throws {
        let demo = try DemoRun("counter")
        for second in 1...30 {
            demo.run(until: .seconds(second))
            let saves = demo.recorded.nodes.filter { $0.label?.hasPrefix("save ") == true && $0.state == .pending }
            #expect(saves.count <= 1)
        }
        demo.context.close()
        demo.recorded.runUntilIdle()
        let actions = demo.recorded.nodes.filter { $0.label?.hasPrefix("action ") == true }
        #expect(actions.count > 40 && actions.contains { $0.label == "action refused" })
        #expect(actions.filter { $0.summary?.hasSuffix(", saved") == true }.count > 1)
        #expect(actions.allSatisfy { $0.state == .fulfilled })
    }

    /// Runs `checkout` until its first order has settled.
    private func firstOrder(seed: UInt64) throws -> RecordedRun {
        let demo = try DemoRun("checkout", seed: seed)
        demo.run(until: .milliseconds(500))
        demo.context.close()
        demo.run(until: .seconds(10))
        return demo.recorded
    }
}

// SPDX-License-Identifier: MIT
