import SeededNumbers

/// A random program: steps that make, settle, cancel and drop promises, and let time pass. A node's name is its number
/// in the order of creation. A step that names a node that does not exist yet does nothing, or throws.
struct Program: Sendable {
    /// The action of a handler.
    enum Act: Sendable {
        /// Returns its input plus this (an error counts as 0).
        case add(Int)
        /// Returns the promise of that number.
        case node(Int)
        case fail(Int)
    }

    /// The combinator of a node with members.
    enum Gather: CaseIterable, Sendable { case all, any, race, allSettled }

    enum Step: Sendable {
        case pending, resolved(Int), rejected(Int), work(Act), pause(Int)
        case map(Int, Act), then(Int, Act), thenEither(Int, Act, Act), tap(Int, fails: Bool)
        case `catch`(Int, Act), recover(Int, Act, includingCancellation: Bool), failed(Int, fails: Bool), anyway(
            Int, fails: Bool)
        case delay(Int, Int), timeout(Int, Int)
        case gather(Gather, [Int], cancelling: Bool)
        case sequence([Act], concurrency: Int)
        case fulfill(Int, Int), reject(Int, Int), follow(Int, Int), drop(Int), cancel(Int)
        case advance(Int), drain(Int)
    }

    var steps: [Step] = []

    /// Makes the program of a seed; if `isOrderless`, with only such steps as have the same outcome under any schedule.
    init(seed: UInt64, isOrderless: Bool = false) {
        var random = SeededGenerator(seed: seed)
        let length = Int.random(in: 4...40, using: &random)
        for _ in 0..<length { steps.append(Self.step(made: steps.count, isOrderless, &random)) }
    }

    private static func step(made: Int, _ isOrderless: Bool, _ random: inout SeededGenerator) -> Step {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func some() -> Int { number(0...max(0, made - 1)) }
        func act() -> Act {
            switch number(0...5) {
            case 0: .fail(number(1...5))
            case 1...2: .node(isOrderless ? some() : number(0...made + 3))
            default: .add(number(1...9))
            }
        }
        func valueAct() -> Act { number(0...3) == 0 ? .fail(number(1...5)) : .add(number(1...9)) }
        switch number(0...(isOrderless ? 18 : 30)) {
        case 0...2: return .pending
        case 3: return number(0...1) == 0 ? .resolved(number(1...99)) : .rejected(number(1...5))
        case 4: return .work(valueAct())
        case 5...6: return .map(some(), valueAct())
        case 7: return .then(some(), act())
        case 8: return .thenEither(some(), act(), act())
        case 9: return .tap(some(), fails: number(0...4) == 0)
        case 10: return .catch(some(), valueAct())
        case 11: return .recover(some(), act(), includingCancellation: number(0...1) == 0)
        case 12: return .failed(some(), fails: number(0...4) == 0)
        case 13: return .anyway(some(), fails: number(0...4) == 0)
        case 14: return .fulfill(some(), number(1...99))
        case 15: return .reject(some(), number(1...5))
        case 16:
            let kind: Gather = isOrderless ? .allSettled : Gather.allCases.randomElement(using: &random)!
            return .gather(kind, (0..<number(0...4)).map { _ in some() }, cancelling: number(0...1) == 0)
        case 17: return .sequence((0..<number(0...4)).map { _ in act() }, concurrency: isOrderless ? 1 : number(1...3))
        case 18: return .fulfill(some(), number(1...99))
        case 19: return .delay(some(), number(0...5))
        case 20: return .timeout(some(), number(0...5))
        case 21: return .pause(number(0...5))
        case 22: return .follow(some(), some())
        case 23: return .drop(some())
        case 24...25: return .cancel(some())
        case 26...27: return .advance(number(1...4))
        case 28: return .drain(number(1...3))
        default: return .drain(.max)
        }
    }
}

/// The state of a node, without its type.
enum Outcome: Hashable, Sendable {
    case pending
    case value([Int])
    case error(Cause)

    /// An error, as far as programs distinguish errors.
    indirect enum Cause: Hashable, Sendable {
        case failure(Int), cancelled, abandoned, timedOut, cycle
        case all([Cause])
    }
}

// SPDX-License-Identifier: MIT
