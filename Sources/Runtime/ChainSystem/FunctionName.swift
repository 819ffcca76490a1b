// SPDX-License-Identifier: MIT

import CChainRuntime

/// Names of functions of Swift, shortened for a row.
package enum FunctionName {
    /// The name of an asynchronous main function; names of other functions have brackets.
    package static let main = "main"
    /// The prefix of the main function's symbol.
    private static let mainSymbol = "async_Main"

    /// Returns whether a symbol is the symbol of a thunk, which calls another closure.
    package static func isThunk(_ symbol: String) -> Bool {
        symbol.contains("TR") && demangledWhole(symbol).map { $0.contains("thunk") } ?? false
    }

    /// Returns the name of the function that a thunk was specialized for; nil for other thunks.
    package static func ofSpecializedThunk(_ symbol: String) -> String? {
        guard let text = demangledWhole(symbol), let start = text.firstRange(of: "Constant Propagated Function : ")
        else {
            return nil
        }
        var depth = 0
        let name = text[start.upperBound...].prefix { character in
            if character == "[" { depth += 1 } else if character == "]" { depth -= 1 }
            return depth >= 0
        }
        return name.hasPrefix(mainSymbol) ? main : short(String(name))
    }

    /// Returns the short name for a symbol; nil for a symbol that is not of Swift.
    package static func demangled(_ symbol: String) -> String? {
        if symbol.hasPrefix(mainSymbol) { return main }
        return demangledWhole(symbol).map(short)
    }

    package static func demangledWhole(_ symbol: String) -> String? {
        guard let text = chain_demangle(symbol) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Shortens a demangled name: `partial apply forwarder for closure #1 @Sendable () async -> Swift.Int in
    /// shop.order(Swift.Int) async throws -> Swift.String` to `closure #1 in order(Int)`. Nested closures are numbered
    /// from the outside, as chapters are: `closure #3 in closure #2 in f()` becomes `closure #2.3 in f()`.
    package static func short(_ demangled: String) -> String {
        var names: [String] = []
        for part in split(function: demangled) {
            guard let range = part.firstRange(of: "closure #") else {
                names.append(function(part))
                continue
            }
            let word = part[..<range.upperBound]
            let number = part[range.upperBound...].prefix(while: \.isNumber)
            // The innermost closure is first.
            if let last = names.last, let outer = last.firstRange(of: "closure #") {
                names[names.count - 1] = "\(last[..<outer.upperBound])\(number).\(last[outer.upperBound...])"
            } else {
                names.append(String(word + number))
            }
        }
        return names.joined(separator: " in ")
    }

    /// Returns whether a demangled name is that of a function of Swift's own libraries or of chainview's, or of a closure
    /// in one.
    package static func isOfSystem(_ demangled: String) -> Bool {
        guard var name = split(function: demangled).last else { return false }
        if name.hasPrefix("static ") { name = name.dropFirst(7) }
        // An extension belongs to the module that it is in, which stands in brackets in front.
        if name.hasPrefix("(extension in "), let end = name.firstRange(of: "):") {
            return systemModules.contains(String(name[..<end.lowerBound].dropFirst(14)))
        }
        guard let dot = name.firstIndex(of: ".") else { return false }
        return systemModules.contains(String(name[..<dot]))
    }

    private static let systemModules: Set<String> = [
        "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Distributed", "Observation", "Dispatch",
        "Foundation", "FoundationEssentials", "FoundationNetworking", "AsyncAlgorithms",
        "PromiseRuntime", "PromiseFoundation", "ChainBus", "ChainTracing",
    ]

    /// Returns the parts of a demangled name: the function, and before it the closures in it, the innermost first.
    private static func split(function demangled: String) -> [Substring] {
        // A private name has a hash of its file: (charge in _D4DC4AF8).
        var rest = demangled.replacing(/\(([^ ()]+) in _[0-9A-F]+\)/) { $0.1 }[...]
        for mark in ["resume partial function for ", "async function pointer to ", "partial apply forwarder for "] {
            if let range = rest.firstRange(of: mark) { rest = rest[range.upperBound...] }
        }
        // A function that calls another type's implementation of it: the protocol's name for it is enough.
        if rest.hasPrefix("protocol witness for ") {
            rest = rest.dropFirst(21)
            if let range = rest.firstRange(of: " in conformance ") { rest = rest[..<range.lowerBound] }
        }
        while rest.contains("specialization"), let range = rest.firstRange(of: "> of ") {
            rest = rest[range.upperBound...]
        }
        return split(rest)
    }

    /// Splits a text at each ` in ` outside of brackets; returns the parts.
    private static func split(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var start = text.startIndex
        var index = start
        while index < text.endIndex {
            switch text[index] {
            case "(", "<", "[": depth += 1
            case ")", "]": depth -= 1
            // The `>` of an arrow `->` closes no bracket.
            case ">" where index == text.startIndex || text[text.index(before: index)] != "-": depth -= 1
            default: break
            }
            if depth == 0, text[index...].hasPrefix(" in ") {
                parts.append(text[start..<index])
                start = text.index(index, offsetBy: 4)
                index = start
            } else {
                index = text.index(after: index)
            }
        }
        parts.append(text[start...])
        return parts
    }

    /// Returns `Till.charge(Int)` for `static shop.Till.charge(Swift.Int) async -> Swift.Int`.
    private static func function(_ text: Substring) -> String {
        var name = text
        if name.hasPrefix("static ") { name = name.dropFirst(7) }
        if let open = name.firstIndex(of: "(") {
            // An extension's module stands in brackets in front.
            if open == name.startIndex, let end = name.firstRange(of: "):") { return function(name[end.upperBound...]) }
            var depth = 0
            if let close = name[open...].firstIndex(where: { character in
                if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
                return depth == 0
            }) {
                // The types of many parameters are longer than a row.
                let end = name[...close].count
                name = end - name[..<open].count > 32 ? name[..<open] + "(…)" : name[...close]
            }
        }
        // Only brackets before the parameters are removed, because the parameters may have angle brackets, too.
        let head = name.prefix { $0 != "(" }
        if let generic = head.firstIndex(of: "<"), let close = head.lastIndex(of: ">") {
            name = name[..<generic] + name[name.index(after: close)...]
        }
        let path = name.prefix { $0 != "(" && $0 != "<" }
        if let dot = path.firstIndex(of: "."), dot < path.index(before: path.endIndex) {
            name = name[name.index(after: dot)...]
        }
        return String(name).replacing("Swift.", with: "")
    }
}
