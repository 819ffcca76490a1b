import ChainEvents
import ChainWire
import Foundation
import Testing

@testable import ChainAttach

/// Finding programs in a folder of sockets, and the files there that are refused.
@Suite struct DiscoveryTests {
    let folder: TemporaryFolder
    let clock = ManualPollClock()

    init() throws { folder = try TemporaryFolder() }

    private var context: Discovery.SearchContext { Discovery.SearchContext(clock: clock) }

    private func list() -> Eventually<[FoundProcess]> {
        let (discovery, context) = (folder.discovery, context)
        return Eventually { try discovery.list(context) }
    }

    private func resolve(_ target: Target) -> Eventually<Endpoint> {
        let (discovery, context) = (folder.discovery, context)
        return Eventually { try discovery.resolve(target, context) }
    }

    @Test func allProgramsAreAskedAtOnceAndHungOnesReported() throws {
        let (first, second) = (
            try FakeProgram(in: folder, pid: 11, name: "a"), try FakeProgram(in: folder, pid: 12, name: "b", key: 2)
        )
        let hung = try FakeProgram(in: folder, pid: 13)
        // No connection is accepted, and the queue is full.
        let full = try FakeProgram(in: folder, pid: 14, backlog: 0)
        let clients = (0..<2).map { _ in try? ProgramConnection(to: full.endpoint, ClientHello(purpose: .look)) }
        let list = list()
        // The second answers before the first.
        let later = try first.nextViewer()
        #expect(try second.welcome().1.purpose == .look)
        later.sendPreamble()
        later.send(.hello(first.hello))
        let silent = try hung.nextViewer()
        clock.advance(by: try clock.restToDeadline())
        let found = try list.value()
        withExtendedLifetime((clients, later, silent)) {}
        #expect(found.map(\.pid) == [11, 12, 13, 14])
        #expect(found.map { $0.hello?.process.name } == ["a", "b", nil, nil])
        #expect(found[0].hello?.totals.nodeCount == 9 && found[0].path == first.path)
        #expect(found[0].problem == nil && found[1].problem == nil)
        #expect(found[2].problem?.hasPrefix("It does not answer") == true)
        #expect(found[3].problem?.contains("does not answer") == true)
    }

    @Test func manyHungProgramsCostOneTimeLimit() throws {
        let programs = try (1...150).map { try FakeProgram(in: folder, pid: $0) }
        let list = list()
        let limit = folder.discovery.timeLimit
        #expect(try clock.restToDeadline() == limit)
        clock.advance(by: limit)
        let found = try list.value()
        #expect(found.count == programs.count && found.allSatisfy { $0.hello == nil && $0.problem != nil })
    }

    @Test func foreignSocketsAreReportedOrSkipped() throws {
        let program = try FakeProgram(in: folder, pid: 21)
        // A dead program's socket, a plain file, a link to a socket, and names that no socket of a program has.
        do { _ = try FakeProgram(in: folder, pid: 22) }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/22.sock"))
        for name in ["23.sock", "notes.txt", "x.sock", "0.sock"] {
            #expect(FileManager.default.createFile(atPath: folder.path + "/" + name, contents: nil))
        }
        symlink(program.path, folder.path + "/24.sock")
        let list = list()
        _ = try program.welcome()
        let found = try list.value()
        #expect(found.map(\.pid) == [21, 23, 24])
        #expect(found[0].problem == nil)
        #expect(found[1].problem?.hasSuffix("23.sock is no socket") == true)
        #expect(found[2].problem?.hasSuffix("24.sock is no socket") == true)
    }

    @Test func aMissingFolderHasNoPrograms() throws {
        let discovery = Discovery(folder: SocketFolder(path: folder.path + "/none"), environment: { _ in nil })
        #expect(try discovery.list() == [])
    }

    @Test func aFolderThatOthersMayHaveMadeIsRefused() throws {
        let link = folder.path + "/link"
        let target = try TemporaryFolder()
        symlink(target.path, link)
        let file = folder.path + "/file"
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let open = try TemporaryFolder(mode: 0o755)
        for (path, word) in [(link, "is a link"), (file, "is not a folder"), (open.path, "is open to others")] {
            let discovery = Discovery(folder: SocketFolder(path: path), environment: { _ in nil })
            for ask in [{ _ = try discovery.list() }, { _ = try discovery.resolve(.pid(1)) }] {
                let error = #expect(throws: AttachError.self) { try ask() }
                #expect(error?.kind == .foreign && error?.description.contains(word) == true)
            }
        }
        // Only root may change the owner of a folder.
        guard geteuid() == 0 else { return }
        chown(target.path, 12_345, 12_345)
        let discovery = Discovery(folder: target.folder, environment: { _ in nil })
        let error = #expect(throws: AttachError.self) { try discovery.list() }
        #expect(error?.kind == .foreign && error?.description.contains("another user (12345)") == true)
    }

    @Test func aPidIsFoundByItsSocket() throws {
        let program = try FakeProgram(in: folder, pid: getpid(), number: 2)
        #expect(try resolve(.pid(getpid())).value() == program.endpoint)
        let first = try FakeProgram(in: folder, pid: getpid())
        #expect(try resolve(.pid(getpid())).value() == first.endpoint)
        let silent = #expect(throws: AttachError.self) { try resolve(.pid(1)).value() }
        #expect(silent?.kind == .notFound && silent?.description.contains("does not listen") == true)
        let absent = #expect(throws: AttachError.self) { try resolve(.pid(.max)).value() }
        #expect(absent?.kind == .notFound && absent?.description == "There is no process \(Int32.max)")
    }

    @Test(arguments: [
        ("checkout", 31), ("check", nil), ("pay", 33), ("checkouts", 32), ("billing", nil), ("chekout", nil),
    ])
    func aProgramIsFoundByItsNameOrAnUnambiguousBeginning(_ name: String, _ pid: Int32?) throws {
        let programs = try [(31, "checkout"), (32, "checkouts"), (33, "payments")].map {
            try FakeProgram(in: folder, pid: Int32($0), name: $1, key: UInt64($0))
        }
        let endpoint = resolve(.name(name))
        let viewers = try programs.map { try $0.welcome() }
        withExtendedLifetime(viewers) {}
        if let pid {
            #expect(try endpoint.value() == programs.first { $0.info.pid == pid }?.endpoint)
            return
        }
        let error = try #require(#expect(throws: AttachError.self) { try endpoint.value() })
        switch name {
        case "check":
            #expect(error.kind == .ambiguous)
            #expect(
                error.description
                    == "2 programs have names that begin with check: give a pid: 31 (checkout), 32 (checkouts)")
        case "chekout":
            #expect(error.kind == .notFound && error.description.hasSuffix(": did you mean checkout or checkouts?"))
        default:
            #expect(error.kind == .notFound)
            #expect(error.description.hasSuffix(": there are checkout, checkouts, payments"))
        }
    }

    @Test func ofSeveralProgramsWithOneNameThePreferredOneIsFound() throws {
        let programs = try [41, 42].map {
            try FakeProgram(in: folder, pid: Int32($0), name: "shop", key: UInt64($0))
        }
        let (discovery, context) = (folder.discovery, context)
        let endpoint = Eventually {
            try discovery.resolve(.name("shop"), preferring: ProcessKey(rawValue: 42), context)
        }
        let viewers = try programs.map { try $0.welcome() }
        #expect(try endpoint.value() == programs[1].endpoint)
        withExtendedLifetime(viewers) {}
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a folder of another user's"))
    func ifAnotherUserTookTheFoldersNameFoldersBesideItAreSearched() throws {
        let name = "chainview-\(geteuid())"
        let base = folder.base
        let discovery = Discovery { ["TMPDIR": base, "CHAINVIEW_PROC": ""][$0] }
        func make(_ name: String, owner: uid_t = 0, mode: mode_t = 0o700) {
            mkdir("\(base)/\(name)", mode)
            chmod("\(base)/\(name)", mode)
            chown("\(base)/\(name)", owner, owner)
        }
        make(name, owner: 12_345)
        // The other user's folder cannot hold this user's sockets.
        #expect(try discovery.list() == [])
        #expect(#expect(throws: AttachError.self) { try discovery.resolve(.name("shop")) }?.kind == .notFound)
        make(name + "-aaaaaa", owner: 12_345)
        make(name + "-bbbbbb", mode: 0o755)
        make(name + "-cccccc")
        make(name + "-dddddd")
        symlink("\(base)/\(name)-cccccc", "\(base)/\(name)-eeeeee")
        #expect(
            try discovery.folders().map(\.path)
                == ["c", "d"].map { "\(base)/\(name)-" + String(repeating: $0, count: 6) })
        let program = try FakeProgram(in: folder, path: "\(base)/\(name)-dddddd/\(getpid()).sock")
        #expect(try discovery.resolve(.pid(getpid())) == program.endpoint)
        // Once the name is this user's, both folders are searched.
        rmdir("\(base)/\(name)")
        make(name)
        #expect(try discovery.folders().map(\.path).first == "\(base)/\(name)")
        #expect(try discovery.resolve(.pid(getpid())) == program.endpoint)
        // This user's folder that is open to others is refused if there is no folder beside it.
        for other in ["c", "d"] { rename("\(base)/\(name)-" + String(repeating: other, count: 6), "\(base)/\(other)") }
        chmod("\(base)/\(name)", 0o755)
        #expect(#expect(throws: AttachError.self) { try discovery.list() }?.kind == .foreign)
    }

    @Test func theEnvironmentSetsTheFolder() {
        let variables = ["XDG_RUNTIME_DIR": "/run/me", "CHAINVIEW_SSH": "/bin/mine", "CHAINVIEW_TOKEN_FILE": "/t"]
        let discovery = Discovery(environment: { variables[$0] })
        #expect(discovery.folder.path == "/run/me/chainview")
        #expect(discovery.sshProgram == "/bin/mine" && discovery.tokenFile == "/t")
        let bare = Discovery(environment: { $0 == "TMPDIR" ? "/some/tmp/" : nil })
        #expect(bare.folder.path == "/some/tmp/chainview-\(geteuid())" && bare.sshProgram == "ssh")
    }

    /// A program listens in the next folder if the first cannot be made.
    @Test func theFoldersOfProgramsThatCannotUseTheFirstAreSearched() throws {
        let variables = ["XDG_RUNTIME_DIR": folder.base + "/none", "TMPDIR": folder.base, "CHAINVIEW_PROC": ""]
        let discovery = Discovery(environment: { variables[$0] })
        #expect(try discovery.folders().isEmpty)
        #expect(discovery.watchedFolders(of: .name("shop")).contains(folder.base))
        let own = folder.base + "/chainview-\(geteuid())"
        mkdir(own, 0o700)
        let program = try FakeProgram(in: folder, path: "\(own)/\(getpid()).sock")
        #expect(try discovery.resolve(.pid(getpid())) == program.endpoint)
        let error = #expect(throws: AttachError.self) { try discovery.resolve(.name("bakery")) }
        #expect(error?.description.contains("none/chainview or \(own)") == true, "\(error?.description ?? "")")
    }

    @Test func aPathThatIsTooLongForASocketIsReported() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        let error = #expect(throws: AttachError.self) {
            try folder.discovery.resolve(.unix(path: path)).open()
        }
        #expect(error?.kind == .system && error?.description.contains("205 bytes") == true)
    }
}

extension FakeProgram {
    var endpoint: Endpoint { Endpoint(kind: .unix(path: path)) }
}

// SPDX-License-Identifier: MIT
