// SPDX-License-Identifier: MIT

import ChainEvents

// The search for promises that would wait for themselves (A+ 2.3.1, extended to parents and members).
extension AnyPromise {
    /// The maximum number of promises that a search visits, so that adoption at the end of a long chain stays cheap. If
    /// `hasFollowers` is true, promises that follow another do not count. So a longer cycle is found, too, if few of
    /// its promises wait for a parent.
    private static let visitLimit = 1_000

    /// Returns the error with which to reject `target` if its wait for this promise would close a cycle; nil if not.
    /// Such a wait closes a cycle if this promise is `target`, or already waits for `target`, directly or through other
    /// promises.
    ///
    /// - Parameter hasFollowers: Whether a promise follows `target` already. If so, promises on the way that follow
    ///   another do not count towards the limit.
    final func cycle(to target: AnyPromise, hasFollowers: Bool = false) -> PromiseCycleError? {
        if self === target { return PromiseCycleError(sites: [target.callSite.site]) }
        // No list is needed, because a promise without members waits for one other promise at a time.
        var left = Self.visitLimit
        var next: AnyPromise? = self
        while let promise = next, left > 0 {
            if promise.hasMembers {
                guard let rest = promise.sitesOverMembers(to: target, left) else { return nil }
                return PromiseCycleError(sites: [target.callSite.site] + sites(upTo: promise) + rest)
            }
            let (parent, followed) = promise.waitsFor
            next = followed ?? parent
            if !hasFollowers || followed == nil { left -= 1 }
            if next === target { return PromiseCycleError(sites: [target.callSite.site] + sites(upTo: target)) }
            if next === promise { return nil }
        }
        return nil
    }

    private final var hasMembers: Bool {
        switch kind {
        case .all, .allSettled, .any, .race, .sequence, .forEach, .repeat, .retry: true
        default: false
        }
    }

    /// Searches for `target` breadth first, through all members of combinators. Returns the sites of the promises from
    /// this one up to `target`, without `target`; each of these promises waits for the next. Nil if the search, of at
    /// most `limit` promises, does not reach `target`.
    private final func sitesOverMembers(to target: AnyPromise, _ limit: Int) -> [CodeLocation]? {
        var visits: [(promise: AnyPromise, from: Int)] = [(self, -1)]
        var known: Set = [ObjectIdentifier(self)]
        var index = 0
        while index < visits.count, index < limit {
            let promise = visits[index].promise
            let (parent, followed) = promise.waitsFor
            for source in promise.pendingMembers + [followed ?? parent].compactMap({ $0 }) where !source.isSettled {
                if source === target {
                    var sites: [CodeLocation] = []
                    var step = index
                    while step >= 0 {
                        sites.append(visits[step].promise.callSite.site)
                        step = visits[step].from
                    }
                    return sites.reversed()
                }
                if known.insert(ObjectIdentifier(source)).inserted { visits.append((source, index)) }
            }
            index += 1
        }
        return nil
    }

    /// Returns the sites of the promises from this one up to `end`, without `end`. Each of these promises waits for the
    /// next.
    private final func sites(upTo end: AnyPromise) -> [CodeLocation] {
        var sites: [CodeLocation] = []
        var next: AnyPromise? = self
        while let promise = next, promise !== end, sites.count < Self.visitLimit {
            sites.append(promise.callSite.site)
            let (parent, followed) = promise.waitsFor
            next = followed ?? parent
        }
        return sites
    }
}
