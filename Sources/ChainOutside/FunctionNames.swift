import ChainSystem

/// The functions of a process by address, with the names that its files have for them.
final class FunctionNames {
    /// A function in which tasks continue.
    struct Function {
        /// The short name, such as `Till.charge(Int)`; the place in its file, such as `shop+0x2f40`, where the file has no
        /// names; nil for a thunk and for a function that is not of Swift.
        let name: String?
        /// Whether it is a function of Swift's own libraries, or of chainview's.
        let isOfSystem: Bool
    }

    private var known: [UInt64: Function] = [:]
    /// The most functions that are remembered.
    private static let limit = 100_000

    /// Returns the function at an address. The first function of a file takes up to some 100 ms, because the file's table
    /// of symbols is read then.
    func function(at address: UInt64, in images: ProcessImages) -> Function {
        if let function = known[address] { return function }
        let function = Self.read(address, images)
        if known.count >= Self.limit { known = [:] }
        known[address] = function
        return function
    }

    /// Returns the name of the function at an address of a thread's stack, also of one that is not of Swift; `?` for memory
    /// without a file.
    func place(of address: UInt64, in images: ProcessImages) -> String {
        if let name = function(at: address, in: images).name { return name }
        guard let image = images.image(at: address) else { return "?" }
        return image.symbol(at: address) ?? "\(image.name)+0x\(String(address &- image.bias, radix: 16))"
    }

    /// Forgets what was read, because files were mapped or unmapped.
    func forget() { known = [:] }

    private static func read(_ address: UInt64, _ images: ProcessImages) -> Function {
        guard let image = images.image(at: address) else { return Function(name: nil, isOfSystem: true) }
        guard let symbol = image.symbol(at: address) else {
            let place = "\(image.name)+0x\(String(address &- image.bias, radix: 16))"
            return Function(name: place, isOfSystem: image.name.hasPrefix("libswift"))
        }
        guard !FunctionName.isThunk(symbol) else { return Function(name: nil, isOfSystem: false) }
        return Function(
            name: FunctionName.demangled(symbol),
            isOfSystem: FunctionName.demangledWhole(symbol).map(FunctionName.isOfSystem) ?? true)
    }

    /// Returns the names of frames, innermost first, without those of the system's that lead them; adjacent equal names
    /// are merged, because a forwarder has the name of its function.
    func names(of frames: [UInt64], in images: ProcessImages) -> [String] {
        var functions: [(name: String, isOfSystem: Bool)] = []
        for address in frames {
            let function = function(at: address, in: images)
            guard let name = function.name, functions.last?.name != name else { continue }
            functions.append((name, function.isOfSystem))
        }
        let own = functions.drop(while: \.isOfSystem)
        return (own.isEmpty ? functions[...] : own).map(\.name)
    }

    /// Returns the name of the function that a task was made with: the outermost of its frames.
    func origin(of frames: [UInt64], in images: ProcessImages) -> String? {
        var outermost: String?
        for address in frames.reversed() {
            let function = function(at: address, in: images)
            guard let name = function.name else { continue }
            if !function.isOfSystem { return name }
            outermost = outermost ?? name
        }
        return outermost
    }
}
