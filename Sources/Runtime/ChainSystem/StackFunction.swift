// SPDX-License-Identifier: MIT

/// A function in which suspended tasks continue.
package struct StackFunction: Sendable {
    /// The function's short name, or its place in a stripped file; nil for a thunk, and for a function that is not of
    /// Swift.
    package let name: String?
    /// Whether it is a function of Swift's own libraries, or of chainview's.
    package let isOfSystem: Bool
    /// Where it is in memory; 0 if that does not matter.
    package var address: UInt64 = 0

    /// A function with a name.
    package typealias Named = (name: String, isOfSystem: Bool, address: UInt64)

    package init(name: String?, isOfSystem: Bool) { (self.name, self.isOfSystem) = (name, isOfSystem) }

    /// Makes the function of a mangled symbol.
    package init(symbol: String) {
        let isThunk = FunctionName.isThunk(symbol)
        name = isThunk ? nil : FunctionName.demangled(symbol)
        isOfSystem = !isThunk && (FunctionName.demangledWhole(symbol).map(FunctionName.isOfSystem) ?? false)
    }

    /// Returns the functions of a stack that have names, innermost first. Adjacent equal names are merged, because a
    /// forwarder has the name of its function.
    package static func named(_ stack: some Sequence<StackFunction>) -> [Named] {
        var named: [Named] = []
        for function in stack {
            guard let name = function.name, named.last?.name != name else { continue }
            named.append((name, function.isOfSystem, function.address))
        }
        return named
    }

    /// Returns a stack without the functions of Swift's own libraries and of chainview's that lead it, unless there are no
    /// others.
    package static func own(_ named: [Named]) -> ArraySlice<Named> {
        let own = named.drop(while: \.isOfSystem)
        return own.isEmpty ? named[...] : own
    }

    /// Returns the functions of ``own(_:)``, one a line.
    package static func text(of named: [Named]) -> String { own(named).map(\.name).joined(separator: "\n") }
}
