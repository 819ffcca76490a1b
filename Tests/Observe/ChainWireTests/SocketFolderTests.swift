import ChainEvents
import ChainWire
import Testing

struct SocketFolderTests {
    @Test func theFolderFollowsTheEnvironment() {
        func path(_ environment: [String: String]) -> String {
            SocketFolder(environment: { environment[$0] }, user: 1000).path
        }
        #expect(path(["XDG_RUNTIME_DIR": "/run/user/1000"]) == "/run/user/1000/chainview")
        #expect(path(["XDG_RUNTIME_DIR": "relative", "TMPDIR": "/var/tmp/"]) == "/var/tmp/chainview-1000")
        #expect(path([:]) == "/tmp/chainview-1000")
    }

    @Test func aFolderThatCannotBeUsedHasSuccessors() {
        func paths(_ environment: [String: String]) -> [String] {
            SocketFolder.candidates(environment: { environment[$0] }, user: 1000).map(\.path)
        }
        #expect(paths([:]) == ["/tmp/chainview-1000"])
        #expect(paths(["XDG_RUNTIME_DIR": "/run/me"]) == ["/run/me/chainview", "/tmp/chainview-1000"])
        #expect(
            paths(["XDG_RUNTIME_DIR": "/run/me", "TMPDIR": "/var/tmp"]) == [
                "/run/me/chainview", "/var/tmp/chainview-1000",
            ])
        let long = "/" + String(repeating: "x", count: SocketFolder.pathLimit)
        #expect(paths(["TMPDIR": long]) == [long + "/chainview-1000", "/tmp/chainview-1000"])
        #expect(!SocketFolder(path: long).hasRoom && SocketFolder(path: "/tmp/chainview-1000").hasRoom)
    }

    @Test func aLabelIsReadAsItWasWritten() {
        for name in ["checkout", "", "two\nlines\r\n", "schiff 🚢"] {
            let label = SocketLabel(inode: .max, process: ProcessKey(rawValue: 0xFACE), name: name)
            #expect(SocketLabel(text: label.text) == label)
        }
        #expect(SocketLabel(inode: 7, process: ProcessKey(rawValue: 255), name: "shop").text == "7 ff\nshop")
        for text in ["", "7 ff", "7\nshop", "7 ff 1\nshop", "-7 ff\nshop", "7 gg\nshop", "shop\n7 ff"] {
            #expect(SocketLabel(text: text) == nil, "\(text)")
        }
        #expect(SocketFolder.labelPath(of: "/x/42-2.sock") == "/x/42-2.name")
    }

    @Test func aFolderHasFallbacksBesideIt() {
        let fallback = SocketFolder(path: "/tmp/chainview-1000").fallback
        #expect(fallback?.parent == "/tmp" && fallback?.prefix == "chainview-1000-")
        #expect(SocketFolder(path: "/s").fallback?.parent == "/")
    }

    @Test func aSocketNamesItsProcess() {
        let folder = SocketFolder(path: "/x")
        #expect(folder.socketPath(pid: 42) == "/x/42.sock")
        #expect(folder.socketPath(pid: 42, number: 2) == "/x/42-2.sock")
        #expect(
            folder.flightPath(pid: 42) == "/x/42.flight" && folder.flightPath(pid: 42, number: 2) == "/x/42-2.flight")
        #expect(["42.flight", "42-2.flight"].allSatisfy { SocketFolder.isFlight($0) })
        #expect(!["a.flight", "42.sock", "42", ".flight"].contains { SocketFolder.isFlight($0) })
        #expect(SocketFolder.pid(of: "42.sock") == 42)
        #expect(SocketFolder.pid(of: "42-2.sock") == 42)
        for name in ["42", ".sock", "-42.sock", "a.sock", "42-x.sock", "1-2-3.sock", "0.sock"] {
            #expect(SocketFolder.pid(of: name) == nil)
        }
    }
}

// SPDX-License-Identifier: MIT
