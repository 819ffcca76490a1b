// SPDX-License-Identifier: MIT

import ChainEvents

extension Promise {
    /// Makes a promise that is fulfilled with the values of all members as a tuple, whatever their types. It is
    /// rejected with the error of the first member that is rejected.
    ///
    ///     let report = Promise.all(fetch(3), charge(["tea"])).map { pages, sum in "\(pages.count) for \(sum)" }
    ///
    /// After a rejection the other members run on; with `cancellingLosers`, members without another consumer are
    /// cancelled. O(n) for n members, and one object. A list of promises of one type can be passed as one sequence
    /// instead.
    @_disfavoredOverload
    public static func all<First, Second, each Rest>(
        _ first: Promise<First>, _ second: Promise<Second>, _ rest: repeat Promise<each Rest>,
        cancellingLosers: Bool = false, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<(First, Second, repeat each Rest)> where Value == (First, Second, repeat each Rest) {
        var members: [AnyPromise] = [first, second]
        repeat members.append(each rest)
        typealias Node = GatherNode<(First, Second, repeat each Rest)>
        return Node(
            .all, .all, members, label: label, site: CallSite(fileID: file, line: line), cancelsLosers: cancellingLosers
        ) { node, members in
            // Read from the parameter, because a closure that captured the members would keep them alive.
            var values = MemberValues(members)
            let tuple = (values.next(First.self), values.next(Second.self), repeat values.next((each Rest).self))
            _ = unsafeDowncast(node, to: Node.self).fulfill(tuple, by: .machinery)
        }
    }
}

/// The values of fulfilled members, in order.
private struct MemberValues {
    private var members: ArraySlice<AnyPromise>

    init(_ members: [AnyPromise]) { self.members = members[...] }

    mutating func next<Value: Sendable>(_ type: Value.Type) -> Value {
        unsafeDowncast(members.removeFirst(), to: Promise<Value>.self).stored
    }
}
