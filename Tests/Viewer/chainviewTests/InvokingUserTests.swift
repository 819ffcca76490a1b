import ChainEvents
import ChainSystem
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// What chainview starts and writes as root, for the user who has called `sudo`.
struct InvokingUserTests {
    @Test func itIsWhatSudoSays() {
        let user = InvokingUser(["SUDO_UID": "1000", "SUDO_GID": "1001"])
        #expect(user?.id == 1000 && user?.group == 1001)
        for environment in [
            [:], ["SUDO_UID": "1000"], ["SUDO_UID": "0", "SUDO_GID": "0"], ["SUDO_UID": "-1", "SUDO_GID": "5"],
            ["SUDO_UID": "ada", "SUDO_GID": "5"],
        ] {
            #expect(InvokingUser(environment) == nil, "\(environment)")
        }
    }

    /// A place of a user who has called `sudo`.
    private func place() throws -> Place {
        let place = Place()
        place.setting = ["SUDO_UID": "65534", "SUDO_GID": "65534"]
        try place.recording("shop.chain", EventBatch.seconds(3))
        return place
    }

    private func owner(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? Int
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func commandsRunAsThatUser() throws {
        let outcome = try place().run("watch shop.chain --where 'id:1' --exec 'id -u; id -g; id -G; echo $HOME'")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("65534\n65534\n65534\n/"), "\(outcome)")
        #expect(!outcome.output.contains("/root"), "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func theEditorRunsAsThatUser() throws {
        let place = try place()
        let folder = ScratchFolder()
        let seen = folder.path
        chmod(seen, 0o777)
        try Shell.write("#!/bin/sh\nid -u >\(seen)/user\n", to: seen + "/editor")
        chmod(seen + "/editor", 0o755)
        var start = ProgramStart("/bin/sh", arguments: ["sh", "-c", "exec \"$@\"", "editor", seen + "/editor"])
        start.group = .parent
        let user = try #require(InvokingUser(["SUDO_UID": "65534", "SUDO_GID": "65534"]))
        var asUser = user.start(start)
        asUser.program = builtProduct("chainview")
        #expect(ProgramEnding.wait(for: try asUser.run()) == .exited(0))
        #expect(try String(contentsOfFile: seen + "/user", encoding: .utf8) == "65534\n")
        withExtendedLifetime((place, folder)) {}
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func filesBelongToThatUser() throws {
        let place = try place()
        let outcome = try place.run("export shop.chain --jsonl -o out.jsonl")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try owner(of: place.path + "/out.jsonl") == 65_534)
        let probe = try place.probe("shop")
        let recorded = try place.run("record \(probe.process.processIdentifier) -o live.chain --for 100ms")
        #expect(recorded.status == 0, "\(recorded)")
        #expect(try owner(of: place.path + "/live.chain") == 65_534)
        // Without sudo they are root's.
        place.setting = [:]
        #expect(try place.run("export shop.chain --jsonl -o root.jsonl").status == 0)
        #expect(try owner(of: place.path + "/root.jsonl") == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func aProgramThatIsMissingIsReported() throws {
        let outcome = try Shell.run("as-user 65534 65534 /no/such/program")
        #expect(outcome.status == 127 && outcome.errors.contains("cannot start /no/such/program"), "\(outcome)")
    }
}

// SPDX-License-Identifier: MIT
