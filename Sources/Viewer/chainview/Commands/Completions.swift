// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import Demos
import Foundation

/// Shell completions that only chainview can list. The argument parser generates the scripts:
/// `chainview --generate-completion-script bash`.
enum Completions {
    /// Targets: pids, `unix:` paths of second inspectors, and unique names. Names that a shell would have to quote are
    /// left out.
    static let targets = CompletionKind.custom { _, _, prefix in targets(beginningWith: prefix) }

    /// Targets, and recordings (`*.chain`) in the folder of the typed path.
    static let sources = CompletionKind.custom { _, _, prefix in
        targets(beginningWith: prefix) + recordings(beginningWith: prefix)
    }

    /// The pids and names of killed programs that have left recordings, and recordings as in ``sources``.
    static let left = CompletionKind.custom { _, _, prefix in
        let left = (try? LeftRecording.all()) ?? []
        let found = words(left.map { ("\($0.pid)", $0.name) }).filter { $0.hasPrefix(prefix) }
        return found + recordings(beginningWith: prefix)
    }

    static let demos = CompletionKind.list(Demo.all.map(\.name))

    private static func targets(beginningWith prefix: String) -> [String] {
        var discovery = Discovery()
        // Short, because the user waits for the completion.
        discovery.timeLimit = .milliseconds(300)
        guard let found = try? discovery.list() else { return [] }
        return words(found.filter { $0.problem == nil }.map { ($0.target.description, $0.hello?.process.name) })
            .filter { $0.hasPrefix(prefix) }
    }

    /// Returns the paths of recordings that begin with a typed path.
    static func recordings(beginningWith prefix: String) -> [String] {
        let end = prefix.lastIndex(of: "/").map { prefix.index(after: $0) } ?? prefix.startIndex
        let folder = String(prefix[..<end])
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
        return (names ?? []).filter { $0.hasSuffix(".chain") && $0.hasPrefix(prefix[end...]) }.sorted().map {
            folder + $0
        }
    }

    /// Returns the completions for programs: each target, and each name that only one program has and that needs no
    /// quoting.
    static func words(_ programs: [(target: String, name: String?)]) -> [String] {
        let names = programs.compactMap(\.name)
        let unique = names.filter { name in
            names.count { $0 == name } == 1 && !name.isEmpty && !name.hasPrefix("-")
                && name.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                        || [0x2D, 0x2E, 0x5F].contains(byte)
                }
        }
        return (programs.map(\.target) + unique).sorted()
    }
}
