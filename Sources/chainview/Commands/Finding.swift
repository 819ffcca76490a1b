import ArgumentParser
import ChainAttach
import ChainEvents
import ChainWire
import Dashboard
import Frames

extension Target {
    /// Reads what was typed; what is wrong with it is said as of any argument.
    init(validating text: String) throws {
        do { try self.init(text) } catch {
            throw ValidationError("\(DisplayText.shown(error.description)).")
        }
    }

    /// Whether it is on another machine.
    var isFar: Bool { if case .ssh = self { true } else { false } }
}

extension Discovery {
    /// For single commands: a busy machine is slow to answer.
    static var patient: Discovery {
        var discovery = Discovery()
        discovery.timeLimit = .seconds(5)
        return discovery
    }

    /// Where a target is reached.
    func find(_ target: Target) throws -> Endpoint {
        do { return try resolve(target) } catch { throw Failure(error) }
    }

    /// Whether a target lets itself be attached to, before a screen is opened for it.
    func look(at target: Target) throws {
        do {
            _ = try Visit.hello(of: resolve(target), viewerName: DisplayOptions.viewer, timeLimit: timeLimit)
        } catch { throw Failure(error) }
    }

    /// What can be attached to.
    func found() throws -> [FoundProcess] {
        do { return try list() } catch { throw Failure(error) }
    }
}

extension FoundProcess {
    /// How it is attached to.
    var target: Target {
        // A second inspector of one process has a socket of its own.
        path.hasSuffix("/\(pid).sock") ? .pid(pid) : .unix(path: path)
    }

    /// As it is listed.
    var listed: ListedProcess {
        ListedProcess(
            target: target.description, pid: pid, info: hello?.process, totals: hello?.totals ?? ProcessTotals(),
            problem: problem)
    }
}

/// What can be attached to, on standard output.
enum ProcessList {
    static func print(_ found: [FoundProcess], charset: Charset) throws {
        if found.isEmpty { return try Streams.print("Nothing to attach to yet.\n\n" + Picker.adviceText) }
        try Streams.print(ProcessTable.text(found.map(\.listed), wall: WallClock.now, charset: charset))
    }

    static func printJSON(_ found: [FoundProcess]) throws {
        try Streams.print(ProcessTable.json(found.map(\.listed), wall: WallClock.now))
    }
}
