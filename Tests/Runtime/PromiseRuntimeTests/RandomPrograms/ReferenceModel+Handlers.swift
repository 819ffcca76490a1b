// Running handlers, and following the promises that they return.
extension ReferenceModel {
    // MARK: Handlers (A+ 2.2.7, 2.3; X3)

    mutating func queueHandler(_ node: Int) {
        if nodes[node].isQueued { return }
        nodes[node].isQueued = true
        submit(.handler(node))
    }

    mutating func submit(_ job: PromiseJob) {
        jobs.append(job)
        runInline()
    }

    mutating func runInline() { if isInline, !isDelivering, !isRunning { drain(.max) } }

    mutating func drain(_ limit: Int) {
        isRunning = true
        var left = limit
        while left > 0, !jobs.isEmpty {
            left -= 1
            switch jobs.removeFirst() {
            case .handler(let node): runHandler(node)
            case .start(let node): startMembers(node)
            }
        }
        isRunning = false
    }

    mutating func runHandler(_ node: Int) {
        if nodes[node].isTaken { return }
        nodes[node].isTaken = true
        if case .work(let act) = nodes[node].kind {
            if isSettled(node) { return }
            handled.append(Handled(node: node, input: .pending))
            if case .add(let value) = act { return settle(node, .value([value])) }
            if case .fail(let code) = act { settle(node, .error(.failure(code))) }
            return
        }
        guard case .link(let onValue, let onError, let includesCancellation) = nodes[node].kind else { return }
        if isSettled(node), !includesCancellation { return }
        // Cancelled before it ran: only clean-up runs, with the cancellation; its result is dropped.
        let input = isSettled(node) ? nodes[node].outcome : nodes[nodes[node].parent!].outcome
        let handler: Handler?
        if case .error = input { handler = onError } else { handler = onValue }
        guard let handler else { return }
        handled.append(Handled(node: node, input: input))
        switch handler {
        case .look(let fails): settle(node, fails ? .error(.failure(7)) : input)
        case .act(.fail(let code)): settle(node, .error(.failure(code)))
        case .act(.add(let more)):
            var sum = more
            if case .value(let values) = input { sum = values.reduce(more, &+) }
            settle(node, .value([sum]))
        case .act(.node(let other)):
            guard exists(other), nodes[other].isInt else { return settle(node, .error(.failure(9))) }
            // A promise that clean-up returns has no consumer (X3).
            if isSettled(node) { if node != other { withdraw(from: other) } } else { follow(node, other) }
        }
    }

    // MARK: Following (A+ 2.3.1, 2.3.2)

    mutating func follow(_ node: Int, _ other: Int) {
        guard !isSettled(node) else { return }
        nodes[node].isResolved = true
        nodes[node].follows = other
        if waits(other, for: node) { return settle(node, .error(.cycle)) }
        register(.follower(node), at: other)
    }

    mutating func followByResolver(_ node: Int, _ other: Int) {
        guard nodes[other].isInt else { return }
        if !nodes[node].isResolved { return follow(node, other) }
        // Cancelled before it could follow: the other promise loses this consumer (X2).
        if nodes[node].wasCancelled, node != other { withdraw(from: other) }
    }

    /// Returns whether a pending node waits for another, through parents, followed nodes and members.
    func waits(_ node: Int, for target: Int, known: Set<Int> = []) -> Bool {
        if node == target { return true }
        if isSettled(node) || known.contains(node) { return false }
        var sources = nodes[node].members
        for case .started(let member) in nodes[node].waiters { sources.append(member) }
        if let source = nodes[node].follows ?? nodes[node].parent { sources.append(source) }
        return sources.contains { waits($0, for: target, known: known.union([node])) }
    }

    mutating func resolve(_ node: Int, _ outcome: Outcome) {
        if isPlain(node), !nodes[node].isResolved { settle(node, outcome) }
    }

    mutating func drop(_ node: Int) {
        guard isPlain(node) else { return }
        dropped.insert(node)
        guard !nodes[node].isResolved else { return }
        if isNeeded(node) {
            abandonedCount += 1
            settle(node, .error(.abandoned))
        } else {
            settle(node, .error(.cancelled))
        }
    }
}

// SPDX-License-Identifier: MIT
