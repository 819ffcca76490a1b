import CChainTasks
import ChainEvents
import ChainSystem

/// A function in which suspended tasks continue, kept for as long as the program runs.
struct TaskFrame: Sendable {
    /// The function's name, or its place in a stripped image; nil for a thunk, and for a function that is not of Swift.
    let name: String?
    /// Whether it is a function of Swift's own libraries, or of chainview's.
    let isOfSystem: Bool

    private static let cache = Lock<[UInt: TaskFrame]>([:])

    static func lockForFork() { cache.lockForFork() }
    static func unlockAfterFork() { cache.unlockAfterFork() }

    /// Returns the function at an address. The first look-up of an address takes some milliseconds, because symbols are
    /// read from the image's file.
    static func at(_ address: UnsafeRawPointer) -> TaskFrame {
        let key = UInt(bitPattern: address)
        if let known = cache.withLock({ $0[key] }) { return known }
        let (symbol, isScarce) = FunctionName.symbol(at: address)
        let found =
            symbol.map { TaskFrame(symbol: $0) } ?? TaskFrame(name: FunctionName.ofPlace(address), isOfSystem: false)
        // Not kept if the system may have descriptors and memory again later.
        if !isScarce { cache.withLock { $0[key] = found } }
        return found
    }

    private init(name: String?, isOfSystem: Bool) { (self.name, self.isOfSystem) = (name, isOfSystem) }

    private init(symbol: String) {
        let isThunk = FunctionName.isThunk(symbol)
        name = isThunk ? nil : FunctionName.demangled(symbol)
        isOfSystem = !isThunk && (FunctionName.demangledWhole(symbol).map(FunctionName.isOfSystem) ?? false)
    }
}

extension chain_task_view {
    /// The functions in which the task continues, innermost first. Adjacent equal names are merged, because a forwarder
    /// has the name of its function.
    var stack: [(name: String, isOfSystem: Bool)] {
        withUnsafeBytes(of: frames) { bytes in
            var stack: [(name: String, isOfSystem: Bool)] = []
            for address in bytes.bindMemory(to: UnsafeRawPointer?.self) {
                guard let address, case let frame = TaskFrame.at(address), let name = frame.name,
                    stack.last?.name != name
                else { continue }
                stack.append((name, frame.isOfSystem))
            }
            return stack
        }
    }
}

/// A ``FrameReading`` that is filled task by task.
struct FrameCollection {
    private(set) var reading = FrameReading(time: 0)
    /// By the addresses of its frames, the index of a stack.
    private var known: [[UInt]: UInt32] = [:]

    mutating func add(_ view: chain_task_view) {
        reading.readCount += 1
        guard Int(view.state) == CHAIN_TASK_SUSPENDED else { return }
        let addresses = withUnsafeBytes(of: view.frames) { Array($0.bindMemory(to: UInt.self)) }
        let stack: UInt32
        if let known = known[addresses] { stack = known } else { stack = index(of: view.stack) }
        known[addresses] = stack
        reading.entries.append(FrameReading.Entry(node: NodeID(view.node), stack: stack))
    }

    /// Adds a stack without the leading functions of Swift's own libraries and chainview's, and returns its index.
    private mutating func index(of stack: [(name: String, isOfSystem: Bool)]) -> UInt32 {
        let own = stack.drop(while: \.isOfSystem)
        reading.stacks.append((own.isEmpty ? stack[...] : own).map(\.name).joined(separator: "\n"))
        return UInt32(reading.stacks.count - 1)
    }

    mutating func setCounts(taskCount: Int, partCount: Int) {
        (reading.taskCount, reading.partCount) = (UInt32(clamping: taskCount), UInt32(partCount))
    }
}
