// SPDX-License-Identifier: MIT

import ChainAttach
import ChainEvents
import ChainOutside
import ChainSource

/// A program that runs, and how its chains can be read.
enum RunningProgram {
    /// From its inspector.
    case prepared(Target)
    /// From its memory, because it has no inspector: its tasks alone.
    case outside(OutsideProcess, name: String)

    /// Finds a program by its target: its inspector, or the process of a pid or name that has none.
    ///
    /// - Parameter symbols: unstripped copies of files of a program without an inspector.
    /// - Throws: ``Failure`` if there is no such program, or if it has no inspector and its memory cannot be read.
    init(_ target: Target, _ discovery: Discovery, symbols: [String] = []) throws {
        guard let missing = discovery.problem(finding: target) else {
            guard symbols.isEmpty else {
                throw Failure(
                    status: .usage,
                    message: "--symbols is for programs without an inspector: this one names its functions itself.")
            }
            self = .prepared(target)
            return
        }
        guard missing.kind == .notFound, let found = try Self.process(target) else {
            throw Failure(missing, of: target)
        }
        do throws(OutsideError) {
            self = .outside(try OutsideProcess(found.pid, symbols: symbols), name: found.name)
        } catch {
            // A process that is not of Swift may still be one that has to be prepared.
            throw error.kind == .noTasks || error.kind == .notFound ? Failure(missing, of: target) : Failure(error)
        }
    }

    /// Returns the process of a target that has no inspector; nil if there is none.
    private static func process(_ target: Target) throws -> (pid: Int32, name: String)? {
        switch target {
        case .pid(let pid): return (pid, "\(pid)")
        case .name(let name):
            do throws(OutsideError) {
                let found = try SwiftProcess.named(name, among: SwiftProcessSearch.ofSystem().processes())
                return found.map { ($0.pid, $0.name) }
            } catch { throw Failure(error) }
        default: return nil
        }
    }

    /// Returns a source of the program's batches, which is not started yet.
    ///
    /// - Parameter readsMemory: whether the memory of a prepared program is read beside its reports.
    func source(_ options: AttachOptions, readsMemory: Bool = false) -> any BatchSource {
        switch self {
        case .prepared(let target):
            let program = AttachedProcess(target, options: options)
            return readsMemory && !target.isFar ? JoinedProcess.reading(program) : program
        case .outside(let process, _): return process
        }
    }

    /// The sentence that says what is not shown; nil for a prepared program.
    var notice: String? {
        guard case .outside(let process, let name) = self else { return nil }
        let who = name == "\(process.pid)" ? "process \(name)" : "\(name) (\(process.pid))"
        return
            "\(who) has no inspector: its tasks are read from outside. History begins now; not shown: promises, values, errors, and what happened before."
    }
}

extension Discovery {
    /// Returns why a target has no endpoint; nil if it has one.
    fileprivate func problem(finding target: Target) -> AttachError? {
        do throws(AttachError) { _ = try resolve(target) } catch { return error }
        return nil
    }
}

extension Failure {
    /// Makes the failure for an error of reading from outside.
    init(_ error: OutsideError) {
        let status: ExitStatus =
            switch error.kind {
            case .notFound, .noTasks: .noInput
            case .ambiguous, .symbols: .usage
            case .ended: .gone
            case .refused: .refused
            case .system: .inputOutput
            }
        self.init(status: status, message: Self.uncapitalized(DisplayText.shown(error.description)) + ".")
    }
}
