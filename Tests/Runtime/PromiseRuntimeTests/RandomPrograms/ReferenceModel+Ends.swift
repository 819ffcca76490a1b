// Settlements other than by handlers: cancellation, time, and members.

extension ReferenceModel {
    // MARK: Cancellation (X1, X2)

    mutating func cancel(_ first: Int) { spread([(first, false)]) }

    /// Ends a consumer's interest in the node.
    mutating func withdraw(from node: Int) { spread([(node, true)]) }

    /// Cancels nodes and their descendants. A withdrawal cancels its node only if that has no other consumer, and then
    /// goes on to what the node waits for.
    private mutating func spread(_ first: [(node: Int, isWithdrawal: Bool)]) {
        delivering { model in
            var left = first
            while let (node, isWithdrawal) = left.popLast() {
                if isWithdrawal {
                    if model.isSettled(node) { continue }
                    if model.hasConsumers(node) {
                        model.markUnneeded(node)
                        continue
                    }
                }
                let waiters = model.nodes[node].waiters
                if !model.isSettled(node) {
                    let (parent, followed) = (model.nodes[node].parent, model.nodes[node].follows)
                    model.settle(node, .error(.cancelled), isCancellation: true)
                    // A settled parent submits clean-up in its turn.
                    if !(parent.map { model.isSettled($0) } ?? false) { model.submitCleanUp(node) }
                    if let parent {
                        if isWithdrawal { left.append((parent, true)) } else { model.markUnneeded(parent) }
                    }
                    if let followed { left.append((followed, true)) }
                }
                for case .child(let next) in waiters.reversed() where !model.isSettled(next) {
                    left.append((next, false))
                }
            }
        }
    }

    mutating func submitCleanUp(_ node: Int) {
        if case .link(_, .some, true) = nodes[node].kind { queueHandler(node) } else { nodes[node].isTaken = true }
    }

    /// Returns the node that a waiter stands for, unless that node is settled.
    func consumer(_ waiter: Waiter) -> Int? {
        switch waiter {
        case .child(let node), .follower(let node), .member(of: let node, _): isSettled(node) ? nil : node
        case .started: nil
        }
    }

    func hasConsumers(_ node: Int) -> Bool { nodes[node].waiters.contains { consumer($0) != nil } }

    mutating func markUnneeded(_ node: Int) {
        let goesOn = !nodes[node].isUnneeded && !isSettled(node)
        nodes[node].isUnneeded = true
        guard goesOn else { return }
        if let parent = nodes[node].parent { markUnneeded(parent) }
        if let followed = nodes[node].follows { markUnneeded(followed) }
    }

    func isNeeded(_ node: Int, known: Set<Int> = []) -> Bool {
        if known.contains(node) { return false }
        if !nodes[node].isUnneeded { return true }
        let known = known.union([node])
        return nodes[node].waiters.contains { consumer($0).map { isNeeded($0, known: known) } ?? false }
    }

    // MARK: Time

    mutating func setTimer(_ time: Int, _ node: Int) {
        guard !isSettled(node) else { return }
        timerCount += 1
        timers.append((now + time, timerCount, node))
    }

    mutating func advance(_ time: Int) {
        let target = now + time
        while let timer = timers.filter({ $0.due <= target }).min(by: { ($0.due, $0.order) < ($1.due, $1.order) }) {
            now = max(now, timer.due)
            timers.removeAll { $0.order == timer.order }
            fire(timer.node)
        }
        now = target
    }

    mutating func fire(_ node: Int) {
        switch nodes[node].kind {
        case .delay: settle(node, nodes[node].results[0]!)
        case .timeout:
            let parent = nodes[node].parent!
            settle(node, .error(.timedOut))
            withdraw(from: parent)
        default: settle(node, .value([]))
        }
    }

    // MARK: Many members (P7)

    mutating func gather(_ kind: Program.Gather, _ members: [Int], _ cancelling: Bool) {
        let members = members.filter { nodes[$0].isInt }
        let node = make(.gather(kind, cancelling: cancelling))
        nodes[node].members = members
        nodes[node].left = members.count
        nodes[node].results = Array(repeating: nil, count: members.count)
        if members.isEmpty {
            let isList = kind == .all || kind == .allSettled
            settle(node, isList ? .value([]) : .error(.all([])))
        }
        for (index, member) in members.enumerated() where !isSettled(node) {
            register(.member(of: node, index: index), at: member)
        }
        addSum(of: node)
    }

    /// Adds the `map` that turns a value into a number: the lists of `all`, `allSettled` and `sequence`, for example.
    mutating func addSum(of node: Int) {
        addLink(.link(value: .act(.add(0)), error: nil, includesCancellation: true), of: node)
    }

    mutating func memberSettled(_ whole: Int, _ index: Int, _ outcome: Outcome) {
        guard !isSettled(whole) else { return }
        nodes[whole].left -= 1
        nodes[whole].results[index] = outcome
        let isLast = nodes[whole].left == 0
        let results = nodes[whole].results
        switch (nodes[whole].kind, outcome) {
        case (.gather(.race, _), _), (.gather(.any, _), .value): settle(whole, outcome)
        case (.gather(.all, _), .error), (.sequence, .error): settle(whole, outcome)
        case (.gather(.any, _), _):
            guard isLast else { return }
            settle(whole, .error(.all(results.compactMap { if case .error(let cause)? = $0 { cause } else { nil } })))
        case (.sequence, _):
            nodes[whole].wanted += 1
            if isLast { settle(whole, .value(results.map { $0!.number })) } else { start(whole) }
        default: if isLast { settle(whole, .value(results.map { $0!.number })) }
        }
    }

    /// Ends the interest of a settled combinator in its members.
    mutating func endMembers(of node: Int) {
        switch nodes[node].kind {
        case .gather(let kind, let cancelling):
            for member in nodes[node].members where !isSettled(member) {
                markUnneeded(member)
                if cancelling, kind != .allSettled { withdraw(from: member) }
            }
        default: break
        }
    }

    mutating func sequence(_ acts: [Program.Act], _ concurrency: Int) {
        let node = make(.sequence(acts))
        nodes[node].left = acts.count
        nodes[node].wanted = concurrency
        nodes[node].results = Array(repeating: nil, count: acts.count)
        if acts.isEmpty { settle(node, .value([])) } else { start(node) }
        addSum(of: node)
    }

    mutating func start(_ node: Int) {
        guard case .sequence(let acts) = nodes[node].kind else { return }
        guard !nodes[node].isStarting, nodes[node].wanted > 0, nodes[node].next < acts.count else { return }
        nodes[node].isStarting = true
        submit(.start(node))
    }

    mutating func startMembers(_ node: Int) {
        guard case .sequence(let acts) = nodes[node].kind else { return }
        while nodes[node].wanted > 0, nodes[node].next < acts.count, !isSettled(node) {
            let index = nodes[node].next
            nodes[node].wanted -= 1
            nodes[node].next += 1
            handled.append(Handled(node: node, input: .value([index])))
            switch acts[index] {
            case .fail(let code): return settle(node, .error(.failure(code)))
            case .add(let value): memberSettled(node, index, .value([value]))
            case .node(let other):
                guard exists(other), nodes[other].isInt else { return settle(node, .error(.failure(9))) }
                if waits(other, for: node) { return settle(node, .error(.cycle)) }
                if !isSettled(other) { nodes[node].waiters.append(.started(other)) }
                register(.member(of: node, index: index), at: other)
            }
        }
        nodes[node].isStarting = false
    }
}

// SPDX-License-Identifier: MIT
