import ArgumentParser
import ChainAttach
import ChainInsight
import Dashboard
import Demos

/// What shells complete that only chainview knows. The scripts come from the argument parser:
/// `chainview --generate-completion-script bash`.
enum Completions {
    /// What can be attached to: pids, and names that are alone; names that a shell would have to quote are left out.
    static let targets = CompletionKind.custom { _, _, prefix in targets(beginningWith: prefix) }

    /// The demos.
    static let demos = CompletionKind.list(Demo.all.map(\.name))

    private static func targets(beginningWith prefix: String) -> [String] {
        var discovery = Discovery()
        // Somebody waits for it with a finger on a key.
        discovery.timeLimit = .milliseconds(300)
        guard let found = try? discovery.list() else { return [] }
        return words(found.filter { $0.problem == nil }.map { ($0.target.description, $0.hello?.process.name) })
            .filter { $0.hasPrefix(prefix) }
    }

    /// The words for programs: each one's target, and its name where that means it alone.
    static func words(_ programs: [(target: String, name: String?)]) -> [String] {
        let names = programs.compactMap(\.name)
        let alone = names.filter { name in
            names.count { $0 == name } == 1 && !name.isEmpty && !name.hasPrefix("-")
                && name.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                        || [0x2D, 0x2E, 0x5F].contains(byte)
                }
        }
        return (programs.map(\.target) + alone).sorted()
    }
}
