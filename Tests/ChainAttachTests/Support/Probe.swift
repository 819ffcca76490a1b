import Foundation
import TerminalHarness

/// A run of AttachProbe, killed when it is released.
final class Probe {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    static var path: String { builtProduct("AttachProbe") }

    /// Starts it, with the folder of sockets as its own.
    init(_ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.environment = ["XDG_RUNTIME_DIR": folder.base, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    var pid: Int32 { process.processIdentifier }

    /// What it says up to its first line's end, or to its own.
    func firstLine() -> String {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Kills it the hard way.
    func kill9() {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }
}

/// A stand-in for `ssh`: takes its arguments apart as ssh does, and has a shell run the command, with AttachProbe for
/// chainview.
func writeFakeSSH(in folder: TemporaryFolder) throws -> String {
    let path = folder.base + "/ssh"
    let script = """
        #!/bin/sh
        while [ "$1" != -- ]; do shift; done
        host=$2
        shift 2
        case $host in
        nowhere) echo 'ssh: connect to host nowhere port 22: No route to host' >&2; exit 255 ;;
        bare) echo 'bash: line 1: chainview: command not found' >&2; exit 127 ;;
        mute) exit 3 ;;
        esac
        chainview() { exec '\(Probe.path)' "$1" "$3"; }
        XDG_RUNTIME_DIR='\(folder.base)'
        export XDG_RUNTIME_DIR
        eval "$*"
        """
    try script.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o700)
    return path
}
