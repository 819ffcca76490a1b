import PromiseRuntime
import SeededNumbers
import Testing

/// Random programs against the ``ReferenceModel``: every node's outcome after every step, which handlers ran and with
/// what input, which promises were reported as abandoned, and that nothing is left. `CHAINVIEW_SEED=…` runs one program
/// alone.
struct RandomProgramTests {
    @Test("P1 to P7, X1 to X3, S2 exactly as the rules say, step by step", arguments: [false, true])
    func exact(isInline: Bool) throws {
        try Seeds.forEach(upTo: 1_500, of: "random programs on \(isInline ? "inline" : "manual")") { seed in
            try #require(Self.exactly(seed, isInline), "CHAINVIEW_SEED=\(seed) on \(isInline ? "inline" : "manual")")
        }
    }

    /// Runs the program of a seed. At the first difference, records an issue that names the step, and returns false.
    private static func exactly(_ seed: UInt64, _ isInline: Bool) -> Bool {
        weak var isolated: ChainRuntime?
        do {
            let program = Program(seed: seed)
            var model = ReferenceModel(isInline: isInline)
            let run = ProgramRun(on: isInline ? InlineExecutor.shared : ManualExecutor())
            isolated = run.isolated
            for (index, step) in program.steps.enumerated() {
                model.take(step)
                run.take(step)
                guard same(model, run, "CHAINVIEW_SEED=\(seed), step \(index), \(step)", program) else { return false }
            }
            model.dropAll()
            run.dropAll()
            for step in [Program.Step.drain(.max), .advance(100), .drain(.max), .advance(100), .drain(.max)] {
                model.take(step)
                run.take(step)
            }
            guard same(model, run, "CHAINVIEW_SEED=\(seed), after all resolvers were dropped", program) else {
                return false
            }
            // Cancelled, because promises that wait for each other in a cycle stay pending.
            run.cancelAll()
            run.take(.drain(.max))
            guard run.isAllSettled else {
                Issue.record("CHAINVIEW_SEED=\(seed): a promise is pending after its cancellation")
                return false
            }
            run.forget()
        }
        if isolated == nil { return true }
        Issue.record("CHAINVIEW_SEED=\(seed): promises are left")
        return false
    }

    /// Returns whether model and run agree, and records an issue if not.
    private static func same(_ model: ReferenceModel, _ run: ProgramRun, _ step: String, _ program: Program) -> Bool {
        let (expected, seen) = (model.outcomes, run.outcomes)
        let differ = expected.indices.filter { $0 >= seen.count || expected[$0] != seen[$0] }
        if expected.count == seen.count, differ.isEmpty, model.handled == run.handled.entries,
            model.abandonedCount == run.abandoned.count
        {
            return true
        }
        let nodes = differ.map { "node \($0): \(expected[$0]), but \($0 < seen.count ? "\(seen[$0])" : "none")" }
        Issue.record(
            """
            \(step): expected \(expected.count) nodes, seen \(seen.count); \(nodes.joined(separator: "; "))
            handlers expected \(model.handled)
            handlers seen     \(run.handled.entries)
            abandoned expected \(model.abandonedCount), seen \(run.abandoned.count)
            \(program.steps.enumerated().map { "\($0): \($1)" }.joined(separator: "\n"))
            """)
        return false
    }

    @Test("P1 to P7, S1, S2 outcomes that no schedule may change", arguments: Case.Runner.allCases)
    func concurrent(_ runner: Case.Runner) throws {
        let executor = Case(timing: .already, place: .outside, runner: runner).executor
        try Seeds.forEach(upTo: 400, of: "random programs on \(runner)") { seed in
            let program = Program(seed: seed, isOrderless: true)
            var model = ReferenceModel(isInline: true, freezes: true)
            let run = ProgramRun(on: executor, freezes: true)
            for step in program.steps {
                model.take(step)
                run.take(step)
            }
            model.dropAll()
            run.dropAll()
            try eventually("CHAINVIEW_SEED=\(seed): the end of every promise") { run.isAllSettled }
            try #require(run.outcomes == model.outcomes, "CHAINVIEW_SEED=\(seed) on \(runner)")
            try eventually("CHAINVIEW_SEED=\(seed): every handler once") {
                run.handled.count >= model.handled.count
            }
            let (expected, seen) = (
                model.handled.map { "\($0)" }.sorted(), run.handled.entries.map { "\($0)" }.sorted()
            )
            try #require(expected == seen, "CHAINVIEW_SEED=\(seed) on \(runner)")
            try #require(run.abandoned.count == model.abandonedCount, "CHAINVIEW_SEED=\(seed) on \(runner)")
            run.forget()
        }
    }
}

// SPDX-License-Identifier: MIT
