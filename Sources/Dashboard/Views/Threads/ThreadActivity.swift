import ChainEvents
import ChainInsight
import ChainModel

/// What a thread does at the moment that is shown.
struct ThreadActivity {
    enum Doing { case idle, running, blocked }

    let doing: Doing
    /// What it is in, from the outside in.
    let entries: [ThreadLane.Entry]

    init(_ lane: ThreadLane, in forest: borrowing ChainForest) {
        entries = ThreadLanes.entries(of: lane, in: forest)
        switch entries.last?.kind {
        case nil: doing = .idle
        case .handler?: doing = .running
        case .wait?: doing = .blocked
        }
    }

    /// The handler that runs or blocks.
    var handler: NodeID? { entries.last { $0.kind == .handler }?.node }
    /// What keys act on: that, or what a thread without a handler waits for.
    var node: NodeID? { handler ?? entries.last?.node }
    var since: UInt64? { entries.last?.since }
    /// Who is waited for: of a thread that blocks, or of the handler that another one runs on top of.
    var wait: ThreadLane.Entry? { entries.last { $0.kind == .wait } }
    /// The handler that a wait keeps, or that runs the innermost one.
    var outer: NodeID? {
        guard let inner = entries.lastIndex(where: { $0.kind == .handler }) else { return nil }
        return entries[..<inner].last { $0.kind == .handler }?.node
    }
}

extension Program {
    /// What a thread is called: a name, or its number.
    func threadName(_ thread: ThreadID) -> String {
        if let name = forest?.threads[thread], !name.isEmpty { return name }
        return "thread \(thread)"
    }

    /// What an executor is called: a name, or its number.
    func executorName(_ executor: ExecutorID) -> String {
        guard executor != 0 else { return "none (tasks)" }
        if let name = forest?.executors[executor], !name.isEmpty { return name }
        return "executor \(executor)"
    }
}

/// The order of names in which numbers count as numbers: `worker-2` before `worker-10`.
enum NaturalOrder {
    static func precedes(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left.utf8[...], right.utf8[...])
        while let a = left.first, let b = right.first {
            if isDigit(a), isDigit(b) {
                let (x, y) = (takeNumber(&left), takeNumber(&right))
                if x.count != y.count { return x.count < y.count }
                if !x.elementsEqual(y) { return x.lexicographicallyPrecedes(y) }
            } else {
                let (x, y) = (lowered(a), lowered(b))
                if x != y { return x < y }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty && !right.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte + 32 : byte }

    /// A number's digits without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == 48 }
    }
}
