// SPDX-License-Identifier: MIT

import ChainEvents

/// A chain that is described first and run later, any number of times: the cold form of promises (<doc:TheRules>, C1;
/// after MICAcom).
///
///     let order = Chain(label: "order")
///         .then { reserveStock() }
///         .map { $0.count }
///         .failed { log($0) }
///     order.launch()                        // run it and forget it
///     let count = order.async().await()     // run it again, and wait for its Result
///
/// Nothing runs, and no promise of the chain exists, before the chain is launched: by ``launch(label:file:line:)``, by
/// ``async(label:file:line:)``, or because a handler returned it. Each launch first makes all nodes, so that a
/// dashboard shows the whole plan, and then queues the first handler. The links of a chain, and their executors, have
/// the names and the meanings that they have on ``Promise``. Only the combinators ``all(_:label:file:line:)``,
/// ``race(_:label:file:line:)`` and ``seq(_:label:file:line:)`` differ (<doc:TheRules>, C3).
///
/// A chain is a value: each operation returns a longer chain and leaves the shorter chain unchanged, so several chains
/// can share a beginning. A description costs one object and one closure per link; a launch costs as much as the same
/// chain of promises. Describing, launching and releasing do not recurse, however long the chain is.
///
/// `Input` is the type of the value that a launch takes: `Void` for a chain that begins with `Chain()`.
public struct Chain<Input: Sendable, Output: Sendable>: Sendable {
    let head: ChainHead
    let last: ChainLink?

    init(head: ChainHead, last: ChainLink?) {
        self.head = head
        self.last = last
    }

    /// The label of the chain's launches; nil if the chain has no label.
    public var label: String? { head.label.isEmpty ? nil : head.label }

    /// The number of nodes of a launch: one for the beginning, one per link, and the nodes of the chains in
    /// combinators. O(links).
    public var nodeCount: Int {
        var count = 1
        var link = last
        while let current = link {
            count += current.nodeCount
            link = current.previous
        }
        return count
    }
}

extension Chain where Input == Void, Output == Void {
    /// Begins to describe a chain.
    ///
    /// - Parameters:
    ///   - label: The name of the chain's launches in the dashboard; empty for none.
    ///   - executor: Runs the handlers of links that name no executor; nil for the runtime's executor.
    public init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            head: ChainHead(label: label, executor: executor, site: CallSite(fileID: file, line: line)), last: nil)
    }
}

extension Chain where Input == Output {
    /// Begins to describe a chain that takes a value: for combinators such as ``all(_:label:file:line:)``, or to be
    /// launched with a value.
    public init(
        taking type: Input.Type, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            head: ChainHead(label: label, executor: executor, site: CallSite(fileID: file, line: line)), last: nil)
    }
}

extension Chain where Input == Void {
    /// Begins with the outcome of a promise, an awaiter or a chain (<doc:TheRules>, C4): each launch waits for that
    /// outcome and continues with it. The work behind a promise or an awaiter runs once, for all launches; a chain as
    /// the source is launched by each launch.
    public init(
        _ source: some Thenable<Output>, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self = Chain<Void, Void>(label: label, on: executor, file: file, line: line)
            .then(on: InlineExecutor.shared, file: file, line: line) { source }
    }
}

// MARK: Launching

extension Chain {
    /// Runs the chain with a value, without returning the outcome; an error that no handler received is reported
    /// (<doc:TheRules>, S3).
    ///
    /// - Parameter label: The name of this launch in the dashboard, instead of the chain's own label.
    public func launch(with input: Input, label: String = "", file: StaticString = #fileID, line: UInt = #line) {
        _ = start(with: input, label: label, site: CallSite(fileID: file, line: line))
    }

    /// Runs the chain with a value, and returns an awaiter for its outcome.
    ///
    /// - Parameter label: The name of this launch in the dashboard, instead of the chain's own label.
    public func async(
        with input: Input, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Awaiter<Output> {
        let site = CallSite(fileID: file, line: line)
        let (end, plan) = start(with: input, label: label, site: site)
        return Awaiter(end, launchedAt: site, executors: plan.serialExecutors)
    }

    /// Makes all nodes of one launch, calls `prepare` with the last node, then fulfils the first node.
    private func start(
        with input: Input, label: String, site: CallSite, prepare: (Promise<Output>) -> Void = { _ in }
    ) -> (end: Promise<Output>, plan: LaunchPlan) {
        let root = Promise<Input>(
            kind: .chain, site: site,
            context: .root(label: label.isEmpty ? head.label : label, executor: head.executor))
        var plan = LaunchPlan()
        let end = makeNodes(from: root, &plan)
        prepare(end)
        _ = root.fulfill(input, by: .machinery)
        return (end, plan)
    }

    /// Makes the nodes of all links, under an existing node; returns the last node.
    func makeNodes(from root: Promise<Input>, _ plan: inout LaunchPlan) -> Promise<Output> {
        var links: [ChainLink] = []
        var link = last
        while let current = link {
            links.append(current)
            link = current.previous
        }
        var node: AnyPromise = root
        plan.note(node)
        for link in links.reversed() {
            node = link.make(node, &plan)
            plan.note(node)
        }
        return unsafeDowncast(node, to: Promise<Output>.self)
    }
}

extension Chain where Input == Void {
    /// Runs the chain, without returning the outcome; an error that no handler received is reported (<doc:TheRules>,
    /// S3).
    ///
    /// - Parameter label: The name of this launch in the dashboard, instead of the chain's own label.
    public func launch(label: String = "", file: StaticString = #fileID, line: UInt = #line) {
        launch(with: (), label: label, file: file, line: line)
    }

    /// Runs the chain, and returns an awaiter for its outcome.
    ///
    /// - Parameter label: The name of this launch in the dashboard, instead of the chain's own label.
    public func async(
        label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Awaiter<Output> {
        async(with: (), label: label, file: file, line: line)
    }
}

/// A type that starts work in `asPromise()`.
protocol ColdThenable {}

extension Chain: ColdThenable {}

/// A handler may return a chain, which is then launched: `promise.then { _ in chain }` (<doc:TheRules>, P3).
extension Chain: Thenable where Input == Void {
    /// Launches the chain, and returns the last promise of the launch. If that promise is cancelled, the pending links
    /// above it are cancelled, too (<doc:TheRules>, X2), because the launch has no other purpose.
    public func asPromise() -> Promise<Output> {
        start(with: (), label: "", site: head.site) { end in
            if let before = end.parent { end.register(LaunchCanceller(of: before)) }
        }.end
    }
}
