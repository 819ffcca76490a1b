import ChainSystem
import Foundation
import Testing

struct ProgramStartTests {
    /// Runs a program to its end, and returns its exit code, or -1 after a signal.
    private func code(of start: ProgramStart) throws -> Int32 {
        guard case .exited(let code) = ProgramEnding.wait(for: try start.run()) else { return -1 }
        return code
    }

    @Test func aProgramGetsItsArgumentsAndEnvironment() throws {
        var start = ProgramStart("/bin/sh", arguments: ["sh", "-c", "exit $((NUMBER + $1))", "sh", "3"])
        start.environment = ["NUMBER=4"]
        #expect(try code(of: start) == 7)
    }

    @Test(arguments: [ProgramStart.Group.group, .session])
    func aProgramIsFoundInPathAndLeadsAGroup(_ group: ProgramStart.Group) throws {
        // `kill` finds the group if the shell leads one; `read` fails without input.
        var start = ProgramStart("sh", arguments: ["sh", "-c", "kill -0 -$$ || exit 9; read line; exit $?"])
        start.searchesPath = true
        start.group = group
        start.hasNoInput = true
        #expect(try code(of: start) == 1)
    }

    @Test func aProgramMayBeInTheGroupOfItsParent() throws {
        // `kill` finds a group with the shell's number only if the shell leads one.
        var start = ProgramStart("/bin/sh", arguments: ["sh", "-c", "kill -0 -$$ 2>/dev/null"])
        #expect(try code(of: start) == 0)
        start.group = .parent
        #expect(try code(of: start) != 0)
    }

    @Test func endingsAreRead() throws {
        let child = try ProgramStart("/bin/sh", arguments: ["sh", "-c", "kill -9 $$"]).run()
        #expect(ProgramEnding.wait(for: child) == .signalled(9))
        var start = ProgramStart("/bin/sh", arguments: ["sh", "-c", "read line; exit 3"])
        let pipe = Pipe()
        start.descriptors = [(pipe.fileHandleForReading.fileDescriptor, 0)]
        let waiting = try start.run()
        #expect(ProgramEnding.ofEnded(waiting) == nil)
        try pipe.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        #expect(ProgramEnding.wait(for: waiting) == .exited(3))
        // The wait above has reaped the child.
        #expect(ProgramEnding.ofEnded(waiting) == .unknown)
        #expect(ProgramEnding.wait(for: waiting) == .unknown)
    }

    @Test func aMissingProgramIsAnError() {
        #expect(throws: SystemError(code: ENOENT)) { try ProgramStart("/none/such", arguments: ["such"]).run() }
    }

    @Test func outputGoesToTheGivenDescriptor() throws {
        let pipe = Pipe()
        var start = ProgramStart("/bin/sh", arguments: ["sh", "-c", "echo yes"])
        start.descriptors = [(pipe.fileHandleForWriting.fileDescriptor, 1)]
        #expect(try code(of: start) == 0)
        #expect(pipe.fileHandleForReading.availableData == Data("yes\n".utf8))
    }
}

// SPDX-License-Identifier: MIT
