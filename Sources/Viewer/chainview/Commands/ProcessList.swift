// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainEvents
import ChainListing
import ChainOutside
import ChainWire
import Dashboard
import Frames

extension Target {
    /// Parses an argument; throws a `ValidationError` if it is invalid, as for any other argument.
    init(validating text: String) throws {
        do { try self.init(text) } catch {
            throw ValidationError("\(DisplayText.shown(error.description)).")
        }
    }

    /// Whether a command reaches the target, which may be on another machine.
    var isFar: Bool {
        switch self {
        case .ssh, .exec: true
        case .pid, .name, .unix, .tcp: false
        }
    }

    /// The time that a login may take; nil if no login is needed.
    var loginLimit: Duration? { isFar ? .seconds(30) : nil }
}

extension Discovery {
    /// A discovery with a long time limit, for single commands: a busy machine is slow to answer.
    static var patient: Discovery {
        var discovery = Discovery()
        discovery.timeLimit = .seconds(5)
        return discovery
    }

    /// Returns the endpoint of a target.
    func find(_ target: Target) throws -> Endpoint {
        do { return try resolve(target) } catch { throw Failure(error, of: target) }
    }

    /// Checks that a target can be attached to; returns the key of the program's run.
    @discardableResult
    func probe(_ target: Target) throws -> ProcessKey {
        do {
            let hello = try OneShotClient.hello(
                of: resolve(target), viewerName: DisplayOptions.viewer, timeLimit: target.loginLimit ?? timeLimit)
            return hello.process.key
        } catch { throw Failure(error, of: target) }
    }

    /// Returns the programs that listen for viewers, including the programs that cannot be attached to.
    func found() throws -> [FoundProcess] {
        do { return try list() } catch { throw Failure(error) }
    }
}

extension Failure {
    /// Makes the failure to find a target, which may be a recording in place of a program.
    init(_ error: AttachError, of target: Target) {
        self.init(error)
        if [.notFound, .timedOut].contains(error.kind), case .name(let name) = target,
            let sentence = ForestSource.replayAdvice(for: name)
        {
            message = sentence
        }
    }
}

extension FoundProcess {
    /// The target that names this program.
    var target: Target {
        // By path if it is not the first socket of its process. In a container, the socket's name has another pid.
        isFirst ? .pid(pid) : .unix(path: path)
    }

    /// The program as a row of the list.
    var listed: ListedProcess {
        ListedProcess(
            target: target.description, pid: pid, info: hello?.process, totals: hello?.totals ?? ProcessTotals(),
            problem: problem)
    }
}

/// The printed list of the programs that were found. For a program that cannot be attached to, the list has the reason.
enum ProcessList {
    static func print(_ found: [ListedProcess], charset: Charset) throws {
        if found.isEmpty { return try Streams.print("No program to attach to yet.\n\n" + Picker.adviceText) }
        try Streams.print(ProcessTable.text(found, wall: WallClock.now, charset: charset))
    }

    static func printJSON(_ found: [ListedProcess]) throws {
        try Streams.print(ProcessTable.json(found, wall: WallClock.now))
    }
}

extension SwiftProcessSearch {
    /// Makes a search of `/proc`, or of what CHAINVIEW_PROC names in its place.
    static func ofSystem() -> SwiftProcessSearch { SwiftProcessSearch(Discovery.variable("CHAINVIEW_PROC") ?? "/proc") }

    /// Returns the processes of Swift programs that are not among those that listen for viewers, as rows of the list.
    func listed(besides found: [FoundProcess]) -> [ListedProcess] {
        let listening = Set(found.map(\.pid) + found.compactMap { $0.hello?.process.pid })
        return processes().filter { !listening.contains($0.pid) }
            .map { ListedProcess(target: "\($0.pid)", pid: $0.pid, info: $0.info) }
    }
}
