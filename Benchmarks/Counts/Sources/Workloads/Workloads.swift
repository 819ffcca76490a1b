// SPDX-License-Identifier: MIT

import PromiseRuntime

/// The work that is measured and counted, on the executor of the runtime that the caller runs it in. A round keeps
/// nothing, except what it returns.
public enum Workloads {
    /// Makes a settled promise and three links, `count` times.
    public static func threeLinks(_ count: Int) {
        for _ in 0..<count { use(Promise.resolve(1).map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }) }
    }

    /// Makes a settled promise and three links with closures that capture a number each, `count` times.
    public static func threeCapturingLinks(_ count: Int) {
        for number in 0..<count {
            use(Promise.resolve(1).map { $0 &+ number }.map { $0 &+ number }.map { $0 &+ number })
        }
    }

    /// Makes a pending promise with its resolver and fulfils it, `count` times.
    public static func pending(_ count: Int) {
        for _ in 0..<count { pendingPromise().fulfill(1) }
    }

    /// Makes a pending promise with a handler and fulfils it, `count` times.
    public static func pendingWithHandler(_ count: Int) {
        for _ in 0..<count { pendingPromiseWithHandler().fulfill(1) }
    }

    /// Makes a pending promise and three links, and fulfils it, `count` times.
    public static func pendingThreeLinks(_ count: Int) {
        for _ in 0..<count {
            let (promise, resolver) = Promise<Int>.pending()
            use(promise.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 })
            resolver.fulfill(1)
        }
    }

    /// Makes one chain of `length` links on a pending promise, fulfils it, and releases the chain.
    public static func chain(_ length: Int) {
        let (root, resolver) = Promise<Int>.pending()
        var last = root
        for _ in 0..<length { last = last.map { $0 &+ 1 } }
        resolver.fulfill(0)
        precondition((try? last.result?.get()) == length)
    }

    /// Makes a pending chain and returns all of its promises, so that settling it makes and releases none.
    public static func keptChain(_ length: Int) -> (nodes: [Promise<Int>], resolver: Resolver<Int>) {
        let (root, resolver) = Promise<Int>.pending()
        var nodes = [root]
        nodes.reserveCapacity(length + 1)
        for _ in 0..<length { nodes.append(nodes[nodes.count - 1].map { $0 &+ 1 }) }
        return (nodes, resolver)
    }

    /// Makes and releases a settled promise, `count` times.
    public static func nodes(_ count: Int) {
        for number in 0..<count { use(Promise.resolve(number)) }
    }

    /// Makes an `all` of members that are fulfilled already.
    public static func allOfSettled(_ members: [Promise<Int>]) {
        precondition((try? Promise.all(members).result?.get().count) == members.count)
    }

    /// Makes an `all` of pending members, and fulfils these in order.
    public static func allOfPending(_ members: [(promise: Promise<Int>, resolver: Resolver<Int>)]) {
        let whole = Promise.all(members.map(\.promise))
        for member in members { member.resolver.fulfill(1) }
        precondition((try? whole.result?.get().count) == members.count)
    }

    /// Makes a pending promise that only its resolver holds.
    public static func pendingPromise() -> Resolver<Int> { Promise<Int>.pending().resolver }

    /// Makes a pending promise with one handler that captures nothing.
    public static func pendingPromiseWithHandler() -> Resolver<Int> {
        let (promise, resolver) = Promise<Int>.pending()
        promise.done { _ in }
        return resolver
    }

    /// Makes a pending promise with one handler that captures a number.
    public static func pendingPromiseWithHandler(capturing number: Int) -> Resolver<Int> {
        let (promise, resolver) = Promise<Int>.pending()
        promise.done { use($0 &+ number) }
        return resolver
    }
}

/// A sink for results, so that the optimiser does not remove the work.
@inline(never)
public func use<Value>(_ value: Value) {}
