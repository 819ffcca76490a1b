import ChainModel

extension ChainForest {
    /// Returns the states of all nodes, in the order of creation.
    func allStates() -> [String] {
        var found: [(UInt64, String)] = []
        var stack = Array(roots)
        while let index = stack.popLast() {
            found.append((node(index).id.rawValue, state(of: index).word))
            var child = lastChild(of: index)
            while let next = child {
                stack.append(next)
                child = previousSibling(of: next)
            }
        }
        return found.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

// SPDX-License-Identifier: MIT
