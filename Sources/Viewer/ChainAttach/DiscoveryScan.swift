// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire

/// A scan that asks the programs at many sockets for their hello concurrently.
struct DiscoveryScan {
    let timeLimit: Duration
    let context: Discovery.SearchContext
    private var sockets: [FoundSocket] = []
    /// The connections that wait for a hello, each with the index of its socket.
    private var open: [(connection: ProgramConnection, index: Int)] = []
    /// The result for each socket; nil where no program listens.
    private var found: [FoundProcess?] = []

    /// The maximum number of connections that are open at the same time; the other sockets follow as programs answer.
    private static let openLimit = 128

    init(timeLimit: Duration, context: Discovery.SearchContext) {
        self.timeLimit = timeLimit
        self.context = context
    }

    /// Returns the results in the order of the sockets, without sockets at which no program listens. If
    /// ``Discovery/SearchContext/stop`` ended the scan, programs that have not answered are left out, too.
    mutating func run(_ sockets: [FoundSocket]) -> [FoundProcess] {
        self.sockets = sockets
        found = sockets.map { FoundProcess(pid: $0.pid, path: $0.path, hello: nil, problem: nil) }
        let deadline = context.clock.now + timeLimit.clampedNanoseconds
        var next = 0
        while true {
            while open.count < Self.openLimit, next < sockets.count {
                probe(next)
                next += 1
            }
            guard !open.isEmpty else { break }
            var entries = open.flatMap { $0.connection.entries }
            if let stop = context.stop { entries.append(stop.pollEntry) }
            context.clock.poll(&entries, until: deadline)
            let isStopped = context.stop != nil && entries.last?.revents != 0
            // The entries have the order of `open`, because a connection to a Unix socket has exactly one entry.
            for (position, (connection, index)) in open.enumerated() where entries[position].revents != 0 {
                _ = connection.sendAndReceive(entries[position...position])
                readHello(from: connection, index)
            }
            open.removeAll { found[$0.index]?.hasResult ?? true }
            guard !isStopped else {
                open = []
                return found.compactMap { $0 }.filter(\.hasResult)
            }
            if context.clock.now >= deadline { break }
        }
        for (_, index) in open { found[index]?.problem = "It does not answer: it is stopped or very busy" }
        for index in next..<found.count { found[index]?.problem = "It was not asked: too many others did not answer" }
        open = []
        return found.compactMap { $0 }
    }

    private mutating func probe(_ index: Int) {
        if let problem = SafeFiles.problem(of: sockets[index]) { return recordFailure(index, problem) }
        do throws(AttachError) {
            let connection = try ProgramConnection(to: sockets[index].endpoint, ClientHello(purpose: .look))
            // A stopped process is reported at once, because it would not answer within the time limit.
            if let process = connection.stoppedProcess { throw AttachError.stopped("It", process) }
            open.append((connection, index))
        } catch {
            recordFailure(index, error)
        }
    }

    private mutating func readHello(from connection: ProgramConnection, _ index: Int) {
        do throws(AttachError) {
            while let message = try connection.next() {
                switch message {
                case .hello(let hello): found[index]?.hello = hello
                case .farewell(let farewell) where found[index]?.hello == nil: throw farewell.error
                default: continue
                }
                return
            }
        } catch {
            recordFailure(index, error)
        }
    }

    /// Records the failure, or drops the socket if no program listens there.
    private mutating func recordFailure(_ index: Int, _ error: AttachError) {
        if error.kind == .gone || error.kind == .notFound {
            found[index] = nil
        } else {
            found[index]?.problem = error.description
        }
    }
}

extension FoundProcess {
    /// Whether the program has answered or failed.
    fileprivate var hasResult: Bool { hello != nil || problem != nil }
}
