/// A model of the rules (TheRules) on one thread: no locks, no classes, nodes are numbers. It is written from the rules
/// alone, not from the runtime's implementation.
struct ReferenceModel {
    /// A waiter of a promise, in order of registration.
    enum Waiter { case child(Int), follower(Int), member(of: Int, index: Int), started(Int) }

    enum Kind {
        case plain, work(Program.Act), pause
        case link(value: Handler?, error: Handler?, includesCancellation: Bool)
        case delay(Int), timeout
        case gather(Program.Gather, cancelling: Bool)
        case sequence([Program.Act])
    }

    enum Handler { case act(Program.Act), look(fails: Bool) }

    struct Node {
        var kind: Kind
        var outcome = Outcome.pending
        var parent: Int?
        var follows: Int?
        var waiters: [Waiter] = []
        var isResolved = false
        var isQueued = false
        var isTaken = false
        var wasCancelled = false
        // A direct or indirect consumer no longer needs the node (S2).
        var isUnneeded = false
        var members: [Int] = []
        var results: [Outcome?] = []
        /// The number of members that are not settled.
        var left = 0
        /// Of a sequence: the index of the next member to start.
        var next = 0
        /// Of a sequence: how many members may be started now.
        var wanted = 0
        var isStarting = false
    }

    enum PromiseJob { case handler(Int), start(Int) }

    var nodes: [Node] = []
    var jobs: [PromiseJob] = []
    var toDeliver: [Int] = []
    var isDelivering = false
    var isRunning = false
    var now = 0
    var timers: [(due: Int, order: Int, node: Int)] = []
    var timerCount = 0
    let isInline: Bool
    /// Whether an act is decided when its handler is made, so that outcomes do not depend on the schedule.
    let freezes: Bool
    /// The handlers that ran, and their input.
    var handled: [Handled] = []
    var abandonedCount = 0

    init(isInline: Bool, freezes: Bool = false) {
        self.isInline = isInline
        self.freezes = freezes
    }

    var outcomes: [Outcome] { nodes.map(\.outcome) }

    // MARK: Steps

    mutating func take(_ step: Program.Step) {
        defer { namedCount = nodes.count }
        switch step {
        case .pending: _ = make(.plain)
        case .resolved(let value): settle(make(.plain), .value([value]))
        case .rejected(let code): settle(make(.plain), .error(.failure(code)))
        case .work(let act): submit(.handler(make(.work(act))))
        case .pause(let time):
            let node = make(.pause)
            setTimer(time, node)
            addSum(of: node)
        case .map(let parent, let act), .then(let parent, let act): link(parent, value: .act(act), error: nil)
        case .thenEither(let parent, let act, let other): link(parent, value: .act(act), error: .act(other))
        case .tap(let parent, let fails): link(parent, value: .look(fails: fails), error: nil)
        case .catch(let parent, let act): link(parent, value: nil, error: .act(act))
        case .recover(let parent, let act, let including):
            link(parent, value: nil, error: .act(act), includesCancellation: including)
        case .failed(let parent, let fails): link(parent, value: nil, error: .look(fails: fails))
        case .anyway(let parent, let fails): link(parent, value: .look(fails: fails), error: .look(fails: fails))
        case .delay(let parent, let time): addChild(.delay(time), of: parent)
        case .timeout(let parent, let time): addChild(.timeout, of: parent, timer: time)
        case .gather(let kind, let members, let cancelling): gather(kind, members.filter(exists), cancelling)
        case .sequence(let acts, let concurrency): sequence(acts.map(frozen), concurrency)
        case .fulfill(let node, let value): resolve(node, .value([value]))
        case .reject(let node, let code): resolve(node, .error(.failure(code)))
        case .follow(let node, let other): if isPlain(node), exists(other) { followByResolver(node, other) }
        case .drop(let node): drop(node)
        case .cancel(let node): if exists(node) { cancel(node) }
        case .advance(let time): advance(time)
        case .drain(let limit): drain(limit)
        }
    }

    /// Drops all resolvers.
    mutating func dropAll() { for node in nodes.indices { drop(node) } }

    mutating func cancelAll() { for node in nodes.indices { cancel(node) } }

    /// The number of nodes with a number: a node has its number once the step that makes it has ended.
    var namedCount = 0
    func exists(_ node: Int) -> Bool { (0..<namedCount).contains(node) }
    func isSettled(_ node: Int) -> Bool { nodes[node].outcome != .pending }

    /// The nodes with a dropped resolver. A resolver exists until it is dropped, also if it was used.
    var dropped: Set<Int> = []
    /// Returns whether the node has a resolver.
    func isPlain(_ node: Int) -> Bool {
        guard exists(node), !dropped.contains(node), case .plain = nodes[node].kind else { return false }
        return true
    }

    mutating func make(_ kind: Kind) -> Int {
        nodes.append(Node(kind: kind))
        return nodes.count - 1
    }

    mutating func link(_ parent: Int, value: Handler?, error: Handler?, includesCancellation: Bool = true) {
        addChild(
            .link(value: value.map(frozen), error: error.map(frozen), includesCancellation: includesCancellation),
            of: parent)
    }

    /// Returns the handler as decided now, if the model freezes.
    func frozen(_ handler: Handler) -> Handler {
        if case .act(let act) = handler { .act(frozen(act)) } else { handler }
    }

    func frozen(_ act: Program.Act) -> Program.Act {
        guard freezes, case .node(let other) = act, !exists(other) || !nodes[other].isInt else { return act }
        return .fail(9)
    }

    mutating func addChild(_ kind: Kind, of parent: Int, timer: Int? = nil) {
        guard exists(parent), nodes[parent].isInt else { return }
        addLink(kind, of: parent, timer: timer)
    }

    mutating func addLink(_ kind: Kind, of parent: Int, timer: Int? = nil) {
        let node = make(kind)
        nodes[node].parent = parent
        if let timer { setTimer(timer, node) }
        register(.child(node), at: parent)
    }

    // MARK: Settling and delivery (A+ 2.1, 2.2; P4)

    mutating func register(_ waiter: Waiter, at node: Int) {
        nodes[node].waiters.append(waiter)
        if isSettled(node) { delivering { $0.deliver(node, to: waiter) } }
    }

    mutating func settle(_ node: Int, _ outcome: Outcome, isCancellation: Bool = false) {
        guard !isSettled(node) else { return }
        nodes[node].outcome = outcome
        nodes[node].isResolved = true
        nodes[node].wasCancelled = isCancellation
        nodes[node].parent = nil
        nodes[node].follows = nil
        timers.removeAll { $0.node == node }
        if !nodes[node].waiters.isEmpty {
            toDeliver.append(node)
            if !isDelivering { delivering { _ in } }
        }
        endMembers(of: node)
    }

    /// Runs `first`, then delivers settlements one after another, also new ones; then inline handlers run that are ready.
    mutating func delivering(_ first: (inout Self) -> Void) {
        if isDelivering { return first(&self) }
        isDelivering = true
        first(&self)
        while !toDeliver.isEmpty {
            let node = toDeliver.removeFirst()
            for waiter in nodes[node].waiters { deliver(node, to: waiter) }
        }
        isDelivering = false
        runInline()
    }

    mutating func deliver(_ node: Int, to waiter: Waiter) {
        switch waiter {
        case .child(let child): parentSettled(child, nodes[node].outcome)
        case .follower(let follower): settle(follower, nodes[node].outcome)
        case .member(let whole, let index): memberSettled(whole, index, nodes[node].outcome)
        case .started(let member): withdraw(from: member)
        }
    }

    mutating func parentSettled(_ child: Int, _ outcome: Outcome) {
        // Cancelled before: only clean-up is left.
        if isSettled(child) { return submitCleanUp(child) }
        switch (nodes[child].kind, outcome) {
        case (.link(.some, _, _), .value), (.link(_, .some, true), .error): queueHandler(child)
        case (.link(_, .some, false), .error(let cause)) where cause != .cancelled: queueHandler(child)
        case (.delay(let time), .value(let value)):
            nodes[child].results = [.value(value)]
            setTimer(time, child)
        default: settle(child, outcome)
        }
    }
}

extension ReferenceModel.Node {
    var isInt: Bool {
        switch kind {
        case .gather(.all, _), .gather(.allSettled, _), .sequence, .pause: false
        default: true
        }
    }
}

/// A handler that ran, and its input.
struct Handled: Hashable, Sendable {
    var node: Int
    var input: Outcome
}

extension Outcome {
    /// The outcome as a number, for a member of a list.
    var number: Int {
        switch self {
        case .pending: 0
        case .value(let values): values.reduce(0, &+)
        case .error(.failure(let code)): -100 - code
        case .error(.cancelled): -1
        case .error(.abandoned): -2
        case .error(.timedOut): -3
        case .error(.cycle): -4
        case .error(.all(let causes)): -1000 - causes.count
        }
    }
}

// SPDX-License-Identifier: MIT
