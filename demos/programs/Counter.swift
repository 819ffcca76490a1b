import ChainBus
import PromiseRuntime
import Synchronization

extension Demo {
    /// A counter that is saved: actions, a reducer, effects, and a variable that a view observes.
    static let counter = Demo(
        "counter", "a store: actions, the steps of its reducer, and the effects that they set off",
        caption: "each click is an action, with what it sets off: try Enter (details), w (why it waits), 3 (timeline)"
    ) { context in
        let counter = Counter(context: context)
        context.every(1.5) { counter.click($0) }
    }
}

/// The counter, and what a server has of it.
private struct CounterState: CustomStringConvertible {
    var count = 0
    var saved = 0
    var isSaving = false

    enum Action: CustomStringConvertible {
        case add(Int)
        case saved(Int)
        case refused

        var description: String {
            switch self {
            case .add(let number): "add \(number)"
            case .saved(let count): "saved \(count)"
            case .refused: "refused"
            }
        }
    }

    enum Effect { case save(Int) }

    /// One step: changes the state, and returns what to do. One save is pending at a time.
    mutating func reduce(_ action: Action) -> [Effect] {
        switch action {
        case .add(let number): count += number
        case .saved(let count): (saved, isSaving) = (count, false)
        case .refused: isSaving = false
        }
        if isSaving || saved == count { return [] }
        isSaving = true
        return [.save(count)]
    }

    var description: String { saved == count ? "\(count), saved" : "\(count), \(saved) saved" }
}

/// Runs a store on one thread, each action in a promise. What the step starts is then below that promise in the tree.
private final class Counter: Sendable {
    private struct Refused: Error, CustomStringConvertible {
        var description: String { "the server is busy" }
    }
    private typealias Store = StateStore<CounterState, CounterState.Action, CounterState.Effect>

    private let context: DemoContext
    private let executor: any PromiseExecutor
    private let count = Variable(0)
    private let store = Mutex<Store?>(nil)
    private let random: Mutex<SeededRandom>
    private let bag = DisposeBag()

    init(context: DemoContext) {
        self.context = context
        executor = context.thread("counter")
        random = Mutex(context.random(0))
        store.withLock { [count, bag] store in
            let made = Store(
                CounterState(), reduce: { $0.reduce($1) }, handle: { [weak self] effect, _ in self?.perform(effect) })
            made.subscribe { state, _ in if state.count != count.value { count.value = state.count } }.disposed(by: bag)
            store = made
        }
        count.subscribe(onNext: { [executor] number in
            _ = Promise(label: "show \(number)", on: executor) { String(repeating: "▪", count: number % 20) }
        }).disposed(by: bag)
    }

    /// The user clicks: the button adds 1, 2 or 3.
    func click(_ number: Int) { send(.add(random.withLock { Int.random(in: 1...3, using: &$0) })) }

    /// Returns the promise of one step of the reducer; its value is the state after the step.
    @discardableResult
    private func send(_ action: CounterState.Action) -> Promise<String> {
        Promise(label: "action \(action)", on: executor) { [self] in
            store.withLock { store in
                store?.dispatch(action)
                return store?.withState { "\($0)" } ?? ""
            }
        }
    }

    /// Saves the count; the answer is the next action.
    private func perform(_ effect: CounterState.Effect) {
        guard case .save(let count) = effect else { return }
        let (seconds, isBusy) = random.withLock { ($0.seconds(0.4...2), $0.chance(20)) }
        context.pause(seconds, label: "save \(count)")
            .map(label: "answer") {
                if isBusy { throw Refused() }
                return CounterState.Action.saved(count)
            }
            .catch(only: Refused.self, label: "try again") { _ in .refused }
            .done(label: "next action") { self.send($0) }
    }
}

// SPDX-License-Identifier: MIT
