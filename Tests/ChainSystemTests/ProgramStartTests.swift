import ChainSystem
import Foundation
import Testing

struct ProgramStartTests {
    private func code(of start: ProgramStart) throws -> Int32 {
        let pid = try start.run()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status >> 8 & 0xFF
    }

    @Test func aProgramGetsItsArgumentsAndEnvironment() throws {
        var start = ProgramStart("/bin/sh", arguments: ["sh", "-c", "exit $((NUMBER + $1))", "sh", "3"])
        start.environment = ["NUMBER=4"]
        #expect(try code(of: start) == 7)
    }

    @Test(arguments: [ProgramStart.Group.group, .session])
    func aProgramIsFoundByPath(_ group: ProgramStart.Group) throws {
        // The shell is the leader of its process group.
        var start = ProgramStart("sh", arguments: ["sh", "-c", "kill -0 -$$ || exit 9; read line; exit $?"])
        start.searchesPath = true
        start.group = group
        start.hasNoInput = true
        #expect(try code(of: start) == 1)
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
