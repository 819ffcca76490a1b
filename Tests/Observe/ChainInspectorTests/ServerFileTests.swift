import AttachHarness
import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// The server's folder and files: what is refused, what is removed, and what is left alone.
@Suite(.onItsOwnThread) struct ServerFileTests {
    private let folder = ScratchFolder()
    private var sockets: String { folder.path + "/s" }
    private var name: String { "s/\(getpid()).sock" }

    /// Starts and stops an inspector, and returns why it did not listen, or nil if it did.
    private func failure(_ options: InspectorOptions) throws -> String? {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        #expect(inspector.addresses.isEmpty != inspector.endpointErrors.isEmpty)
        // The program continues, and is recorded.
        runtime.run { _ = Promise.resolve(1) }
        inspector.collectNow()
        #expect(inspector.eventCounts.deliveredCount > 0)
        return inspector.endpointErrors.first?.description
    }

    private func write(_ path: String) { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }

    private func makeFolder(_ path: String, mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    }

    @Test func aPlantedLinkIsRefused() throws {
        try makeFolder(folder.path + "/elsewhere")
        symlink(folder.path + "/elsewhere", sockets)
        #expect(try failure(folder.options())?.contains("is a link") == true)
        #expect(folder.files == ["elsewhere", "s"])
    }

    @Test func aFolderThatOthersMayOpenIsRefused() throws {
        try makeFolder(sockets, mode: 0o755)
        #expect(try failure(folder.options())?.contains("0700") == true)
    }

    @Test func aFolderThatItsOwnerMayNotUseIsRefused() throws {
        try makeFolder(sockets, mode: 0o500)
        defer { chmod(sockets, 0o700) }
        let failure = try #require(try failure(folder.options()))
        #expect(failure.contains("0700") && !failure.contains("others"))
    }

    @Test(.enabled(if: otherUser != nil, "only root can make a folder of another user's"))
    func aFolderOfAnotherUserIsRefused() throws {
        try makeFolder(sockets)
        #expect(chown(sockets, try #require(otherUser), 0) == 0)
        #expect(try failure(folder.options())?.contains("another user") == true)
        #expect(folder.files == ["s"])
    }

    @Test func aFolderThatCannotBeMadeIsReported() throws {
        write(sockets)
        #expect(try failure(folder.options())?.contains("is not a folder") == true)
        var options = folder.options()
        options.socketFolder = folder.path + "/not/there"
        #expect(try failure(options)?.contains("cannot be made: No such file") == true)
        options.socketFolder = "s"
        #expect(try failure(options)?.contains("absolute") == true)
    }

    @Test func aPathThatIsTooLongIsRefused() throws {
        var options = folder.options()
        options.socketFolder = folder.path + "/" + String(repeating: "x", count: 100)
        let reason = try #require(try failure(options))
        #expect(reason.contains("too long") && reason.contains("\(SocketFolder.pathLimit)"))
        // The longest that fits.
        let room = SocketFolder.pathLimit - "/\(getpid()).sock".utf8.count - folder.path.utf8.count - 1
        options.socketFolder = folder.path + "/" + String(repeating: "x", count: room)
        #expect(try failure(options) == nil)
    }

    /// The folder is on a file system that has room for no file in it.
    @Test(.enabled(if: canMount, "filling a disk needs the right to mount"))
    func aFullDiskIsReported() throws {
        let script = "mount -t tmpfs -o nr_inodes=2 none \(folder.path) && exec \"$0\" listen \(sockets)"
        let run = try ProbeRun(
            ["-m", "sh", "-c", script, builtProduct("ServerProbe")], program: "/usr/bin/unshare")
        let (output, errors, status) = run.end()
        #expect(output == "\nstopped\n" && status == 0)
        #expect(errors.contains("No space left on device") && errors.split(separator: "\n").count == 1, "\(errors)")
    }

    private static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test func filesOfEndedProgramsAreRemoved() throws {
        let probe = try ProbeRun(["listen", sockets])
        #expect(probe.line() == "unix:\(sockets)/\(probe.pid).sock")
        let living = try ProbeRun(["listen", sockets])
        #expect(living.line() == "unix:\(sockets)/\(living.pid).sock")
        probe.kill()
        #expect(folder.files.contains("s/\(probe.pid).sock"))
        rename("\(sockets)/\(probe.pid).sock", "\(sockets)/.\(probe.pid)-2")
        // A token or a name that was never finished.
        write("\(sockets)/.\(probe.pid)-3")
        // The name of a dead process's socket, but a plain file.
        write("\(sockets)/\(probe.pid)-3.sock")
        write("\(sockets)/notes")
        #expect(try failure(folder.options()) == nil)
        #expect(
            folder.files
                == ["s", "s/\(living.pid).name", "s/\(living.pid).sock", "s/\(probe.pid)-3.sock", "s/notes"].sorted())
        #expect(living.end().output == "stopped\n")
        #expect(folder.files == ["s", "s/\(probe.pid)-3.sock", "s/notes"].sorted())
    }

    /// Waits until nobody listens at a socket that was closed: a process that another test starts has a copy of it until it
    /// runs its program.
    private func isStale(_ path: String) -> Bool { wait { chain_try_unix(path) == -ECONNREFUSED } }

    @Test func theSocketOfAnEndedProcessWithTheSamePidIsReplaced() throws {
        try makeFolder(sockets)
        let left = chain_listen_unix(folder.path + "/" + name)
        #expect(left >= 0)
        // First, a program listens there, as from another container.
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        #expect(inspector.addresses == ["unix:\(sockets)/\(getpid())-2.sock"])
        inspector.stop()
        #expect(folder.files == ["s", name])
        chain_close(left)
        #expect(isStale(folder.path + "/" + name))
        let second = try Inspector.start(runtime: runtime, options: folder.options())
        #expect(second.addresses == ["unix:\(sockets)/\(getpid()).sock"])
        second.stop()
        #expect(folder.files == ["s"])
    }

    @Test func aSocketThatIsNotItsOwnIsLeftAlone() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        unlink(folder.path + "/" + name)
        let other = chain_listen_unix(folder.path + "/" + name)
        inspector.stop()
        #expect(folder.files == ["s", name])
        chain_close(other)
    }

    /// As in a process with more files than the list of those to remove at exit has room for.
    @Test func aFileThatCannotBeRegisteredIsRemovedToo() throws {
        let paths = ["own", "replaced"].map { "\(folder.path)/\($0)" }
        for path in paths { write(path) }
        var registrations: [Int32] = []
        while case let registration = chain_own_file(paths[0]), registration >= 0 { registrations.append(registration) }
        let files = try paths.map { try #require(OwnFile($0)) }
        #expect(OwnFile(folder.path + "/none") == nil && registrations.count <= 1_024)
        rename(paths[0], folder.path + "/kept")
        for registration in registrations { chain_remove_own_file(registration) }
        rename(folder.path + "/kept", paths[0])
        write(folder.path + "/other")
        rename(folder.path + "/other", paths[1])
        for file in files { file.remove() }
        #expect(folder.files == ["replaced"])
    }

    // MARK: Names and tokens beside sockets

    @Test func theNameIsInAFileBesideTheSocket() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(
            name: "café\nau lait", runtime: runtime,
            options: folder.options([.unix, .unix, .unixPath(folder.path + "/own")]))
        for file in ["\(getpid())", "\(getpid())-2"] {
            let path = "\(sockets)/\(file).name"
            let label = try #require(SocketLabel(text: String(contentsOfFile: path, encoding: .utf8)))
            #expect(label.name == "café\nau lait" && label.process == inspector.info.key)
            #expect(label.inode == FileFacts(at: "\(sockets)/\(file).sock")?.inode)
            #expect(FileFacts(at: path)?.othersPermissions == 0)
        }
        inspector.stop()
        #expect(folder.files == ["s"])
        // A name that is too long is not written.
        let long = try Inspector.start(
            name: String(repeating: "x", count: 20_000), runtime: runtime, options: folder.options())
        #expect(folder.files == ["s", name])
        long.stop()
    }

    @Test func onlyTokensOfEndedProgramsAreRemoved() throws {
        let living = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options([.tcp(port: 0)]))
        defer { living.stop() }
        let token = try #require(folder.files.last)
        let probe = try ProbeRun(["listen-tcp", sockets])
        #expect(probe.line().hasPrefix("tcp:"))
        probe.kill()
        #expect(folder.files.count { $0.hasSuffix(".token") } == 2)
        #expect(try failure(folder.options()) == nil)
        #expect(folder.files == ["s", token])
    }

    /// As it would be in `/tmp` after ten days.
    @Test func filesOfALivingProgramDoNotGetOld() throws {
        let clock = StillClock()
        var options = folder.options([.unix, .tcp(port: 0)])
        options.adjustServer = { $0.now = { clock.nanoseconds } }
        let inspector = try Inspector.start(runtime: ChainRuntime(executor: ManualExecutor()), options: options)
        defer { inspector.stop() }
        let paths = folder.files.dropFirst().map { "\(folder.path)/\($0)" }
        #expect(paths.count == 3)
        let longAgo = timespec(tv_sec: 1_000, tv_nsec: 0)
        for path in paths { utimensat(AT_FDCWD, path, [longAgo, longAgo], AT_SYMLINK_NOFOLLOW) }
        func ages() -> [Bool] {
            paths.map { path in
                var facts = stat()
                lstat(path, &facts)
                #if canImport(Darwin)
                    return facts.st_mtimespec.tv_sec == 1_000
                #else
                    return facts.st_mtim.tv_sec == 1_000
                #endif
            }
        }
        #expect(ages() == [true, true, true])
        // Again and again, because the server's thread may not have read the clock yet.
        let areTouched = wait {
            clock.advance(by: OwnFile.touchInterval)
            inspector.server.withLock { $0 }?.wake()
            return ages() == [false, false, false]
        }
        #expect(areTouched)
    }

    // MARK: Files that something removes

    /// As by a cleaner of `/tmp`.
    @Test func removedFilesComeBack() throws {
        let clock = StillClock()
        let own = folder.path + "/own"
        var options = folder.options([.unix, .unix, .tcp(port: 0), .unixPath(own)])
        options.adjustServer = { $0.now = { clock.nanoseconds } }
        let inspector = try Inspector.start(runtime: ChainRuntime(executor: ManualExecutor()), options: options)
        let (files, addresses) = (folder.files, inspector.addresses)
        #expect(files.count == 7 && addresses.count == 4)
        let viewer = try TestViewer(addresses[0])
        try viewer.greet()
        /// Waits until all files are there again, and new ones where `paths` were removed.
        func areRestored(_ paths: [String], by remove: (String) -> Void) -> Bool {
            let old = paths.compactMap { FileFacts(at: $0) }
            #expect(old.count == paths.count)
            for path in paths { remove(path) }
            return wait {
                clock.advance(by: 5_000_000_000)
                inspector.server.withLock { $0 }?.wake()
                return folder.files == files && !paths.contains { isDeadSocket($0) }
            }
        }
        let paths = files.dropFirst().map { "\(folder.path)/\($0)" }
        for path in paths { #expect(areRestored([path]) { unlink($0) }, "\(path)") }
        #expect(areRestored(paths) { unlink($0) })
        #expect(areRestored([sockets, own]) { try? FileManager.default.removeItem(atPath: $0) })
        #expect(inspector.addresses == addresses)
        for address in [addresses[0], addresses[1], addresses[3]] { try TestViewer(address).greet() }
        let port = try #require(UInt16(addresses[2].split(separator: ":").last ?? ""))
        let token = try String(contentsOfFile: SocketFolder(path: sockets).tokenPath(port: port), encoding: .utf8)
        let label = try #require(
            SocketLabel(text: String(contentsOfFile: "\(sockets)/\(getpid()).name", encoding: .utf8)))
        #expect(label.inode == FileFacts(at: folder.path + "/" + name)?.inode)
        try TestViewer(addresses[2]).greet(ClientHello(purpose: .look, token: String(token.dropLast())))
        // The viewer from before is attached.
        guard case .refused = try viewer.ask(.describe(NodeID(1 << 60))) else {
            Issue.record("an unknown node was described")
            return
        }
        inspector.stop()
        #expect(folder.files.filter { $0 != "s" } == [])
    }

    /// Another program has taken the name, or the folder cannot be made any more.
    @Test func aRemovedSocketComesBackAtAnotherPath() throws {
        let clock = StillClock()
        var options = folder.options()
        options.socketFolder = nil
        let (session, other) = (folder.path + "/session", folder.path + "/other")
        try makeFolder(session)
        options.adjustServer = { options in
            options.now = { clock.nanoseconds }
            options.folder = SocketFolder(path: session + "/chainview")
            options.otherFolders = [SocketFolder(path: other)]
        }
        let inspector = try Inspector.start(runtime: ChainRuntime(executor: ManualExecutor()), options: options)
        defer { inspector.stop() }
        let first = "\(session)/chainview/\(getpid()).sock"
        func listens(at path: String) -> Bool {
            wait {
                clock.advance(by: 5_000_000_000)
                inspector.server.withLock { $0 }?.wake()
                return inspector.addresses == ["unix:" + path]
            }
        }
        #expect(listens(at: first))
        unlink(first)
        let taken = chain_listen_unix(first)
        #expect(listens(at: "\(session)/chainview/\(getpid())-2.sock"))
        chain_close(taken)
        // In one step, because the server's thread may make files in it meanwhile.
        #expect(rename(session, folder.path + "/removed") == 0)
        #expect(listens(at: "\(other)/\(getpid()).sock"))
        try TestViewer(inspector.addresses[0]).greet()
    }

    // MARK: A folder that another user took

    @Test(.enabled(if: otherUser != nil, "only root can make a folder of another user's"))
    func aFolderBesideOneThatAnotherUserTookIsUsed() throws {
        for kind in ["folder", "file", "link"] {
            let path = "\(folder.path)/\(kind)"
            switch kind {
            case "folder": try makeFolder(path)
            case "file": write(path)
            default: symlink("/nowhere", path)
            }
            #expect(lchown(path, try #require(otherUser), 0) == 0)
            var options = folder.options()
            options.socketFolder = nil
            options.adjustServer = { options in
                options.folder = SocketFolder(path: path)
                #expect(options.otherFolders != nil)
            }
            let runtime = ChainRuntime(executor: ManualExecutor())
            let first = try Inspector.start(runtime: runtime, options: options)
            try #require(first.endpointErrors == [])
            try TestViewer(first.addresses[0]).greet()
            let used = try #require(first.addresses[0].dropFirst(5).split(separator: "/").dropLast().last)
            #expect(used.hasPrefix("\(kind)-") && used.count == kind.count + 7)
            first.stop()
            // The next inspector takes the same folder, and neither one that is open nor one of another user.
            for (name, mode) in [("\(kind)-0aaaaa", 0o755), ("\(kind)-0bbbbb", 0o700)] {
                try makeFolder(folder.path + "/" + name, mode: mode)
            }
            #expect(chown("\(folder.path)/\(kind)-0bbbbb", try #require(otherUser), 0) == 0)
            let second = try Inspector.start(runtime: runtime, options: options)
            #expect(second.addresses[0].contains("/\(used)/"))
            second.stop()
        }
    }

    // MARK: A folder that cannot be used

    @Test func anotherFolderIsUsedWhereTheFirstCannotBeMadeOrIsTooLong() throws {
        let long = folder.path + "/" + String(repeating: "x", count: SocketFolder.pathLimit)
        try makeFolder(long)
        for first in [folder.path + "/none/chainview", long + "/chainview"] {
            var options = folder.options()
            options.socketFolder = nil
            let other = folder.path + "/other"
            options.adjustServer = { options in
                options.folder = SocketFolder(path: first)
                options.otherFolders = [SocketFolder(path: other)]
            }
            let inspector = try Inspector.start(
                runtime: ChainRuntime(executor: ManualExecutor()), options: options)
            defer { inspector.stop() }
            #expect(inspector.endpointErrors == [])
            #expect(inspector.addresses.first?.hasPrefix("unix:\(other)/") == true, "\(inspector.addresses)")
        }
    }

    // MARK: A chosen path

    @Test func listensAtAPath() throws {
        let path = folder.path + "/it"
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options([.unixPath(path)]))
        #expect(inspector.addresses == ["unix:\(path)"])
        try TestViewer(inspector.addresses[0]).greet()
        // A program listens there.
        #expect(try failure(folder.options([.unixPath(path)]))?.contains("already") == true)
        inspector.stop()
        #expect(folder.files == [])
        chain_close(chain_listen_unix(path))
        #expect(isStale(path))
        #expect(folder.files == ["it"])
        #expect(try failure(folder.options([.unixPath(path)])) == nil)
        #expect(folder.files == [])
    }

    /// The names of temporary files are longer than these.
    @Test(arguments: ["a", "it", "three"]) func listensAtTheLongestPath(name: String) throws {
        let room = SocketFolder.pathLimit - folder.path.utf8.count - name.utf8.count - 2
        let deep = folder.path + "/" + String(repeating: "x", count: room)
        try makeFolder(deep)
        let path = deep + "/" + name
        #expect(path.utf8.count == SocketFolder.pathLimit)
        chain_close(chain_listen_unix(path))
        #expect(isStale(path))
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options([.unixPath(path)]))
        #expect(inspector.addresses == ["unix:\(path)"])
        try TestViewer("unix:\(path)").greet()
        inspector.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep) == [])
    }

    @Test func anUnsafePathIsRefused() throws {
        write(folder.path + "/notes")
        #expect(try failure(folder.options([.unixPath(folder.path + "/notes")]))?.contains("already") == true)
        #expect(try failure(folder.options([.unixPath("it")]))?.contains("absolute") == true)
        #expect(try failure(folder.options([.unixPath(folder.path + "/")]))?.contains("absolute") == true)
        try makeFolder(folder.path + "/open")
        chmod(folder.path + "/open", 0o777)
        #expect(try failure(folder.options([.unixPath(folder.path + "/open/it")]))?.contains("Others") == true)
        let long = folder.path + "/" + String(repeating: "x", count: 100)
        #expect(try failure(folder.options([.unixPath(long)]))?.contains("too long") == true)
        #expect(folder.files == ["notes", "open"])
    }

    // MARK: The environment

    @Test(arguments: [nil, "", "0", "false", "NO", "off", "maybe", "it.sock"])
    func isNotStartedUnlessRequested(_ value: String?) {
        let runtime = ChainRuntime(executor: ManualExecutor())
        #expect(Inspector.startIfRequested(by: value, runtime: runtime, options: folder.options()) == nil)
        #expect(folder.files == [])
    }

    @Test(arguments: ["1", "true", "YES", "on"]) func isStartedIfRequested(_ value: String) throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try #require(
            Inspector.startIfRequested(by: value, name: "asked", runtime: runtime, options: folder.options()))
        #expect(inspector.addresses == ["unix:\(sockets)/\(getpid()).sock"] && inspector.info.name == "asked")
        inspector.stop()
    }

    @Test func isStartedAtAPath() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try #require(
            Inspector.startIfRequested(by: folder.path + "/it", runtime: runtime, options: folder.options()))
        #expect(inspector.addresses == ["unix:\(folder.path)/it"])
        inspector.stop()
        // A runtime that cannot be recorded is no reason to stop the program.
        let recorded = ChainRuntime(sink: Recorder(clock: RealClock()), executor: ManualExecutor())
        #expect(Inspector.startIfRequested(by: "1", runtime: recorded, options: folder.options()) == nil)
    }

    @Test func theEnvironmentOfAProgramRequestsAnInspector() throws {
        let asked = try ProbeRun(["requested", sockets], environment: ["CHAINVIEW": "1"])
        #expect(asked.line() == "unix:\(sockets)/\(asked.pid).sock")
        #expect(asked.end().errors == "")
        let wrong = try ProbeRun(["requested", sockets], environment: ["CHAINVIEW": "maybe"])
        #expect(wrong.line() == "nothing")
        #expect(wrong.end().errors.split(separator: "\n").count == 1)
        let impossible = try ProbeRun(["requested", folder.path + "/not/there"], environment: ["CHAINVIEW": "1"])
        #expect(impossible.line() == "")
        let (_, errors, status) = impossible.end()
        #expect(errors.hasPrefix("chainview: viewers cannot attach as was asked for: "))
        #expect(errors.split(separator: "\n").count == 1 && status == 0)
    }
}

// SPDX-License-Identifier: MIT
