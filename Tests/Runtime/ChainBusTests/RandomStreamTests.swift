import ChainBus
import SeededNumbers
import Testing

/// Runs random programs, which emit, subscribe, dispose and end, also inside deliveries, on subjects and on a reference
/// implementation with one queue. Both must deliver the same events in the same order.
struct RandomStreamTests {
    @Test(arguments: ReferenceStream.Kind.allCases)
    func b1_subjectsDeliverAsTheReferenceDoes(_ kind: ReferenceStream.Kind) {
        var deliveryCount = 0
        Seeds.forEach(upTo: 400, of: "random streams of \(kind)") { seed in
            let expected = RandomProgram(seed: seed, on: ReferenceStream(kind)).run()
            let seen = RandomProgram(seed: seed, on: SubjectStream(kind)).run()
            let common = zip(seen, expected).prefix { $0 == $1 }.count
            #expect(
                seen.dropFirst(common).first == expected.dropFirst(common).first,
                "seed \(seed), line \(common) of \(expected.count)")
            deliveryCount += expected.count
        }
        // A single seed, to repeat a failure, delivers less.
        #expect(deliveryCount > 4_000 || Seeds.upTo(400).count < 100, "the programs hardly deliver anything")
    }
}

/// A stream for random programs: each subscription has a number.
protocol StreamUnderTest: AnyObject {
    func emit(_ event: StreamEvent<Int>)
    func subscribe(_ number: Int, _ observer: @escaping @Sendable (StreamEvent<Int>) -> Void)
    func dispose(_ number: Int)
}

/// A reference implementation of the three subjects with one queue of deliveries.
final class ReferenceStream: StreamUnderTest {
    enum Kind: CaseIterable { case publish, behavior, replay }

    private let kind: Kind
    private var past: [Int]
    private var ending: StreamEvent<Int>?
    private var observers: [Int: (StreamEvent<Int>) -> Void] = [:]
    private var subscribed: [Int] = []
    private var queue: [(events: [StreamEvent<Int>], receivers: [Int])] = []
    private var isDelivering = false

    init(_ kind: Kind) {
        self.kind = kind
        past = kind == .behavior ? [0] : []
    }

    func emit(_ event: StreamEvent<Int>) {
        guard ending == nil else { return }
        queue.append(([event], subscribed))
        if let element = event.element {
            past.append(element)
        } else {
            ending = event
            subscribed = []
        }
        deliver()
    }

    func subscribe(_ number: Int, _ observer: @escaping @Sendable (StreamEvent<Int>) -> Void) {
        observers[number] = observer
        let kept =
            switch kind {
            case .publish: 0
            case .behavior: ending == nil ? 1 : 0
            case .replay: 3
            }
        queue.append((past.suffix(kept).map { .next($0) } + (ending.map { [$0] } ?? []), [number]))
        if ending == nil { subscribed.append(number) }
        deliver()
    }

    func dispose(_ number: Int) {
        observers[number] = nil
        subscribed.removeAll { $0 == number }
    }

    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while !queue.isEmpty {
            let (events, receivers) = queue.removeFirst()
            for event in events {
                for receiver in receivers {
                    let observer = observers[receiver]
                    if event.isTerminal { observers[receiver] = nil }
                    observer?(event)
                }
            }
        }
        isDelivering = false
    }
}

/// A subject for random programs.
final class SubjectStream: StreamUnderTest {
    private let subject: any Observer<Int>
    private let observable: EventStream<Int>
    private var subscriptions: [Int: any Disposable] = [:]

    init(_ kind: ReferenceStream.Kind) {
        switch kind {
        case .publish:
            let subject = PublishSubject<Int>()
            (self.subject, observable) = (subject, subject.observable)
        case .behavior:
            let subject = BehaviorSubject(0)
            (self.subject, observable) = (subject, subject.observable)
        case .replay:
            let subject = ReplaySubject<Int>(limit: 3)
            (self.subject, observable) = (subject, subject.observable)
        }
    }

    func emit(_ event: StreamEvent<Int>) { subject.on(event) }

    func subscribe(_ number: Int, _ observer: @escaping @Sendable (StreamEvent<Int>) -> Void) {
        subscriptions[number] = observable.subscribe(AnyObserver(observer))
    }

    func dispose(_ number: Int) { subscriptions[number]?.dispose() }
}

/// A random program, which depends on its seed alone, and the log of its observers.
//
// Sendable, because its observers have to be; all of them run on the one thread of the test.
final class RandomProgram: @unchecked Sendable {
    private let stream: any StreamUnderTest
    private var numbers: SeededGenerator
    private var subscriptionCount = 0
    // The subscriptions for which `subscribe` has returned: the others have no handle yet.
    private var disposable: [Int] = []
    private var actionsLeft = 120
    private var log: [String] = []

    init(seed: UInt64, on stream: any StreamUnderTest) {
        self.stream = stream
        numbers = SeededGenerator(seed: seed)
    }

    func run() -> [String] {
        while actionsLeft > 0 { act() }
        return log
    }

    private func act() {
        guard actionsLeft > 0 else { return }
        actionsLeft -= 1
        switch Int.random(in: 0..<100, using: &numbers) {
        case ..<50: stream.emit(.next(actionsLeft))
        case ..<80:
            let number = subscriptionCount
            subscriptionCount += 1
            stream.subscribe(number) { [unowned self] event in
                log.append("\(number) sees \(event)")
                for _ in 0..<[0, 0, 0, 1, 2].randomElement(using: &numbers)! { act() }
                log.append("\(number) has seen \(event)")
            }
            disposable.append(number)
        case ..<98: if let number = disposable.randomElement(using: &numbers) { stream.dispose(number) }
        default: stream.emit(Bool.random(using: &numbers) ? .completed : .error(Failure()))
        }
    }
}

// SPDX-License-Identifier: MIT
