/// A function in which suspended tasks continue.
package struct StackFunction: Sendable {
    /// The function's short name, or its place in a stripped file; nil for a thunk, and for a function that is not of
    /// Swift.
    package let name: String?
    /// Whether it is a function of Swift's own libraries, or of chainview's.
    package let isOfSystem: Bool

    package init(name: String?, isOfSystem: Bool) { (self.name, self.isOfSystem) = (name, isOfSystem) }

    /// Makes the function of a mangled symbol.
    package init(symbol: String) {
        let isThunk = FunctionName.isThunk(symbol)
        name = isThunk ? nil : FunctionName.demangled(symbol)
        isOfSystem = !isThunk && (FunctionName.demangledWhole(symbol).map(FunctionName.isOfSystem) ?? false)
    }

    /// Returns the functions of a stack that have names, innermost first. Adjacent equal names are merged, because a
    /// forwarder has the name of its function.
    package static func named(_ stack: some Sequence<StackFunction>) -> [(name: String, isOfSystem: Bool)] {
        var named: [(name: String, isOfSystem: Bool)] = []
        for function in stack {
            guard let name = function.name, named.last?.name != name else { continue }
            named.append((name, function.isOfSystem))
        }
        return named
    }

    /// Returns one function a line, without those of Swift's own libraries and of chainview's that lead the stack, unless
    /// there are no others.
    package static func text(of named: [(name: String, isOfSystem: Bool)]) -> String {
        let own = named.drop(while: \.isOfSystem)
        return (own.isEmpty ? named[...] : own).map(\.name).joined(separator: "\n")
    }
}
