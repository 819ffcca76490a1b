import CChainTasks
import ChainEvents
import ChainSystem

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A function of the program by name, kept for as long as the program runs.
final class TaskCode: Sendable {
    /// The call site of its tasks: the name, such as `closure #1 in order(Int)`, in place of a file, and line 0.
    let site: CallSite
    /// Whether it is the program's main function.
    let isMain: Bool

    private init(name: String, isMain: Bool) {
        self.isMain = isMain
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: name.utf8.count + 1)
        for (index, byte) in name.utf8.enumerated() { copy[index] = byte }
        copy[name.utf8.count] = 0
        site = CallSite(file: copy, line: 0)
    }

    /// What is known of an address.
    private enum Known {
        case named(TaskCode)
        /// A thunk: the task's code is the code of a closure that the thunk's context captures.
        case thunk
        case unknown
    }

    private static let cache = Lock<[UInt: Known]>([:])

    // The locks are held over each fork, because a child could not take them from a thread that the child does not have.
    static func lockForFork() {
        cache.lockForFork()
        TaskFrame.lockForFork()
    }
    static func unlockAfterFork() {
        TaskFrame.unlockAfterFork()
        cache.unlockAfterFork()
    }

    /// Returns the code that a task runs: the function of the async function pointer `entry`, or, if `entry` is nil,
    /// the function at `address`. If that function is a thunk, returns the code of the closure that the thunk's context
    /// `closure` captures.
    ///
    /// Cost: one look-up. The first look-up of each function takes some milliseconds, because symbols are read from the
    /// image's file.
    static func of(entry: UnsafeRawPointer?, closure: UnsafeRawPointer?, address: UnsafeRawPointer?) -> TaskCode? {
        guard let key = entry ?? address else { return nil }
        switch known(at: key, isEntry: entry != nil) {
        case .named(let code): return code
        case .unknown: return nil
        case .thunk:
            guard let closure else { return nil }
            return closureInside(closure)
        }
    }

    /// Returns the code of the closure that a thunk's context captures: the first async function pointer in it.
    private static func closureInside(_ context: UnsafeRawPointer) -> TaskCode? {
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 4) { words in
            for word in words.prefix(chain_context_words(context, words.baseAddress!)) {
                guard let pointer = UnsafeRawPointer(bitPattern: word), word & 3 == 0 else { continue }
                // A new pointer is looked for in the images; a known pointer is not, because the search takes a
                // microsecond.
                let isKnown = cache.withLock { $0[word] != nil }
                guard isKnown || chain_image_base(pointer) != nil else { continue }
                if case .named(let code) = known(at: pointer, isEntry: true) { return code }
            }
            return nil
        }
    }

    private static func meaning(of symbol: String, isEntry: Bool) -> Known {
        let isThunk = FunctionName.isThunk(symbol)
        guard !isEntry || symbol.hasSuffix("Tu") || isThunk else { return .unknown }
        // The optimizer makes a copy of a thunk for the closure that it calls.
        let name = isThunk ? FunctionName.ofSpecializedThunk(symbol) : FunctionName.demangled(symbol)
        guard let name else { return isThunk ? .thunk : .unknown }
        return .named(TaskCode(name: name, isMain: name == FunctionName.main))
    }

    private static func known(at key: UnsafeRawPointer, isEntry: Bool) -> Known {
        let number = UInt(bitPattern: key)
        if let found = cache.withLock({ $0[number] }) { return found }
        let (symbol, isScarce) = FunctionName.symbol(at: key)
        // The result is not kept, because the system may have descriptors and memory again at the next task.
        if isScarce { return .unknown }
        let result = symbol.map { meaning(of: $0, isEntry: isEntry) } ?? .unknown
        return cache.withLock { cache in
            // Another thread may have been first; its result stays.
            if let other = cache[number] { return other }
            cache[number] = result
            return result
        }
    }
}

/// Names of functions of Swift, shortened for a row.
enum FunctionName {
    /// The name of an asynchronous main function; names of other functions have brackets.
    static let main = "main"
    /// The prefix of the main function's symbol.
    private static let mainSymbol = "async_Main"

    /// Returns the mangled symbol at an address; nil if it is missing or cannot be read. `isScarce` is whether the
    /// system has too few descriptors or too little memory to read it.
    static func symbol(at address: UnsafeRawPointer) -> (text: String?, isScarce: Bool) {
        // The program makes a task here, and may read `errno` afterwards.
        let saved = errno
        defer { errno = saved }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard chain_symbol_name(address, buffer.baseAddress!, buffer.count) else {
                return (nil, [EMFILE, ENFILE, ENOMEM].contains(errno))
            }
            return (String(cString: buffer.baseAddress!), false)
        }
    }

    /// Returns the place of an address in its image: `shop+0x2f40`; nil if no image contains the address.
    static func ofPlace(_ address: UnsafeRawPointer) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            chain_address_name(address, buffer.baseAddress!, buffer.count) ? String(cString: buffer.baseAddress!) : nil
        }
    }

    /// Returns whether a symbol is the symbol of a thunk, which calls another closure.
    static func isThunk(_ symbol: String) -> Bool {
        symbol.contains("TR") && demangledWhole(symbol).map { $0.contains("thunk") } ?? false
    }

    /// Returns the name of the function that a thunk was specialized for; nil for other thunks.
    static func ofSpecializedThunk(_ symbol: String) -> String? {
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
    static func demangled(_ symbol: String) -> String? {
        if symbol.hasPrefix(mainSymbol) { return main }
        return demangledWhole(symbol).map(short)
    }

    static func demangledWhole(_ symbol: String) -> String? {
        guard let text = chain_demangle(symbol) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Shortens a demangled name: `partial apply forwarder for closure #1 @Sendable () async -> Swift.Int in
    /// shop.order(Swift.Int) async throws -> Swift.String` to `closure #1 in order(Int)`. Nested closures are numbered
    /// from the outside, as chapters are: `closure #3 in closure #2 in f()` becomes `closure #2.3 in f()`.
    static func short(_ demangled: String) -> String {
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
    static func isOfSystem(_ demangled: String) -> Bool {
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
