#if os(Linux)
    import ChainWire
    import Foundation
    import TestWaits
    import Testing

    @testable import ChainAttach

    /// Programs that listen in other folders than the viewer's: found by their environment, in containers, and of other
    /// users.
    @Suite struct ProcessSearchTests {
        let folder: TemporaryFolder
        /// A name that no other program of this machine has.
        let name = "shop-\(UUID())"

        init() throws { folder = try TemporaryFolder() }

        /// A discovery with the usual folders of a user whose environment names none.
        private func discovery(_ variables: [String: String] = [:]) -> Discovery {
            var discovery = Discovery { variables[$0] }
            discovery.timeLimit = waitLimit
            return discovery
        }

        private func serve(
            _ environment: [String: String] = [:], user: uid_t? = nil, program: String? = nil,
            _ arguments: [String]? = nil
        ) throws -> Probe {
            var environment = environment
            environment["PROBE_USER"] = user.map { "\($0)" }
            let probe = try Probe(
                arguments ?? ["serve", name], in: folder, environment: environment, program: program)
            try #require(probe.nextLine() == "ready")
            return probe
        }

        /// Starts a program in namespaces of its own, by a shell that prepares its file systems.
        private func serveInContainer(_ flags: String, _ preparation: String, _ environment: [String: String]) throws
            -> Probe
        {
            try serve(
                environment, program: "/usr/bin/unshare",
                [flags, "-f", "--kill-child", "sh", "-c", "\(preparation) && exec \"$0\" serve \(name)", Probe.path])
        }

        /// Returns the pid in a path below `/proc/PID/root`.
        private func pid(of endpoint: Endpoint) throws -> Int32 {
            let parts = endpoint.description.split(separator: "/")
            return try #require(parts.count > 2 ? Int32(parts[2]) : nil, "\(endpoint)")
        }

        private static let canUnshare: Bool = {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = ["-pmf", "mount", "-t", "tmpfs", "none", "/mnt"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        // MARK: Containers

        @Test(.enabled(if: canUnshare, "making namespaces needs the right to"))
        func aProgramInAContainerIsFoundByPidAndName() throws {
            // The folder's path is longer than any that has room below `/proc/PID/root`.
            let place = "/tmp/" + String(repeating: "x", count: 60)
            let program = try serveInContainer(
                "-pm", "mount -t tmpfs none /tmp && mkdir \(place)", ["XDG_RUNTIME_DIR": "", "TMPDIR": place])
            let endpoint = try discovery().resolve(.name(name))
            let pid = try pid(of: endpoint)
            #expect(endpoint.description == "unix:/proc/\(pid)/root\(place)/chainview-\(geteuid())/1.sock")
            #expect(try discovery().resolve(.pid(pid)) == endpoint)
            let hello = try OneShotClient.hello(of: endpoint, timeLimit: waitLimit)
            #expect(hello.process.name == name && hello.process.pid == 1)
            let found = try discovery().list { $0 == pid }
            #expect(found.map(\.pid) == [pid] && found.first?.hello?.process.name == name)
            withExtendedLifetime(program) {}
        }

        @Test(.enabled(if: canUnshare, "making namespaces needs the right to"))
        func aProgramInAContainerWithThisUsersFolderIsListedOnceWithItsPidHere() throws {
            let program = try serveInContainer("-p", "true", [:])
            let discovery = discovery(["XDG_RUNTIME_DIR": folder.base])
            let found = try discovery.list().filter { $0.hello?.process.name == name }
            #expect(found.map(\.path) == [folder.path + "/1.sock"])
            let pid = try #require(found.first?.pid)
            #expect(pid != 1)
            #expect(try discovery.resolve(.pid(pid)).description == "unix:\(folder.path)/1.sock")
            // The first process of this machine has the pid in the socket's name, and does not listen there.
            let error = #expect(throws: AttachError.self) {
                try OneShotClient.hello(of: discovery.resolve(.pid(1)), timeLimit: waitLimit)
            }
            #expect(error?.description.hasSuffix("process \(pid) listens, and not process 1") == true)
            withExtendedLifetime(program) {}
        }

        /// `/tmp` of the container is a link to the folder of another program.
        @Test(.enabled(if: canUnshare, "making namespaces needs the right to"))
        func noLinkInAContainerIsFollowed() throws {
            let program = try serveInContainer(
                "-pm", "mount -t tmpfs none /mnt && mkdir /mnt/real /mnt/real/\u{301} && ln -s real /mnt/link",
                ["XDG_RUNTIME_DIR": "", "TMPDIR": "/mnt/link/\u{301}"])
            let children = try String(
                contentsOfFile: "/proc/\(program.pid)/task/\(program.pid)/children", encoding: .utf8)
            let pid = try #require(Int32(children.filter { !$0.isWhitespace }))
            let error = #expect(throws: AttachError.self) { try discovery().resolve(.pid(pid)) }
            #expect(
                error?.kind == .foreign && error?.description.contains("leads through a link") == true,
                "\(error?.description ?? "")")
            #expect(try discovery().list { $0 == pid } == [])
        }

        // MARK: Other environments

        @Test func aProgramWithAnotherEnvironmentIsFound() throws {
            let program = try serve()
            let path = "unix:\(folder.path)/\(program.pid).sock"
            #expect(try discovery().resolve(.name(name)).description == path)
            #expect(try discovery(["TMPDIR": "/nowhere"]).resolve(.pid(program.pid)).description == path)
            #expect(try discovery().list { $0 == program.pid }.map(\.path) == [String(path.dropFirst(5))])
            let error = #expect(throws: AttachError.self) { try discovery().resolve(.name(name + "x")) }
            #expect(
                error?.description.contains("/run/user/\(geteuid())/chainview") == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("/tmp/chainview-\(geteuid())") == true)
        }

        @Test func theFoldersOfAProcessThatDoesNotListenAreNamed() throws {
            let program = try Probe(["wait", ""], in: folder)
            #expect(program.nextLine() == "waiting")
            let error = #expect(throws: AttachError.self) { try discovery().resolve(.pid(program.pid)) }
            #expect(error?.kind == .notFound)
            for path in [folder.path, "\(folder.base)/chainview-\(geteuid())", "/run/user/\(geteuid())/chainview"] {
                #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
            }
        }

        @Test func aSocketAtWhichAnotherProcessListensIsRefused() throws {
            let (program, other) = (try serve(), try Probe(["wait", ""], in: folder))
            #expect(other.nextLine() == "waiting")
            let path = "\(folder.path)/\(other.pid).sock"
            link("\(folder.path)/\(program.pid).sock", path)
            for discovery in [discovery(), discovery(["XDG_RUNTIME_DIR": folder.base])] {
                let error = #expect(throws: AttachError.self) {
                    try OneShotClient.hello(of: discovery.resolve(.pid(other.pid)), timeLimit: waitLimit)
                }
                #expect(
                    error?.description
                        == "At \(path) process \(program.pid) listens, and not process \(other.pid)")
            }
        }

        // MARK: Other users

        private static let otherUser: uid_t = 65_534

        /// Makes a folder of another user's for sockets; returns its parent.
        private func makeFolder() -> (base: String, path: String) {
            let base = folder.base + "/theirs"
            let path = "\(base)/chainview-\(Self.otherUser)"
            for path in [base, path] {
                mkdir(path, 0o700)
                chown(path, Self.otherUser, Self.otherUser)
            }
            chmod(folder.base, 0o711)
            return (base, path)
        }

        @Test(.enabled(if: geteuid() == 0, "only root may attach to another user's program"))
        func rootFindsAProgramOfAnotherUser() throws {
            let (base, path) = makeFolder()
            let program = try serve(["XDG_RUNTIME_DIR": "", "TMPDIR": base], user: Self.otherUser)
            let endpoint = try discovery().resolve(.name(name))
            #expect(endpoint.description == "unix:\(path)/\(program.pid).sock")
            #expect(try discovery().resolve(.pid(program.pid)) == endpoint)
            #expect(try OneShotClient.hello(of: endpoint, timeLimit: waitLimit).process.name == name)
            #expect(try discovery().list { $0 == program.pid }.first?.hello?.process.name == name)
        }

        @Test(.enabled(if: geteuid() == 0, "only root may attach to another user's program"))
        func rootSearchesNoUnsafeFolderOfAnotherUser() throws {
            let (base, path) = makeFolder()
            let program = try serve(["XDG_RUNTIME_DIR": "", "TMPDIR": base], user: Self.otherUser)
            func refusal() throws -> String {
                #expect(try discovery().list { $0 == program.pid } == [])
                #expect(#expect(throws: AttachError.self) { try discovery().resolve(.name(name)) }?.kind == .notFound)
                let error = #expect(throws: AttachError.self) { try discovery().resolve(.pid(program.pid)) }
                #expect(error?.kind == .foreign)
                return error?.description ?? ""
            }
            chmod(path, 0o755)
            #expect(
                try refusal() == "The folder \(path) is open to others: close it (chmod 700), and see what is in it")
            chmod(path, 0o700)
            chown(path, 12_345, 12_345)
            #expect(try refusal() == "\(path) belongs to another user (12345): it is not searched")
            chown(path, Self.otherUser, Self.otherUser)
            // Neither the folder nor a part of its path may be a link.
            for linked in [path, base] {
                rename(linked, folder.base + "/moved")
                symlink(folder.base + "/moved", linked)
                #expect(try refusal().contains("its path leads through a link"))
                unlink(linked)
                rename(folder.base + "/moved", linked)
            }
            #expect(try discovery().resolve(.pid(program.pid)).description == "unix:\(path)/\(program.pid).sock")
        }

        // MARK: Hostile files of /proc

        /// Makes a folder like `/proc` with one process, in the view of this process.
        private func proc(status: String, environment: [UInt8], map: String? = nil) throws -> ProcFolder {
            let path = folder.base + "/proc"
            try? FileManager.default.removeItem(atPath: path)
            for process in ["\(getpid())", "77"] {
                try FileManager.default.createDirectory(
                    atPath: "\(path)/\(process)/ns", withIntermediateDirectories: true)
                symlink("/", "\(path)/\(process)/root")
                symlink("mnt:[1]", "\(path)/\(process)/ns/mnt")
            }
            symlink("\(getpid())", "\(path)/self")
            try status.write(toFile: path + "/77/status", atomically: false, encoding: .utf8)
            try Data(environment).write(to: URL(fileURLWithPath: path + "/77/environ"))
            try map?.write(toFile: path + "/77/uid_map", atomically: false, encoding: .utf8)
            return try #require(ProcFolder(path))
        }

        private static let status = "Name:\tshop\nUid:\t1000\t1001\t1000\t1000\nNSpid:\t77\t9\n"
        private static let usual = ["/tmp/chainview-1001", "/run/user/1001/chainview"]

        @Test func aProcessIsReadFromItsFiles() throws {
            let environment = "A=b\0TMPDIR=/var/tmp/\0XDG_RUNTIME_DIR=/run/me\0TMPDIR=/second\0"
            let places = try #require(
                try proc(status: Self.status, environment: Array(environment.utf8)).places(of: 77))
            #expect(places.user == 1001 && places.ownPid == 9 && places.root.isEmpty)
            #expect(places.paths == ["/run/me/chainview", "/var/tmp/chainview-1001"] + Self.usual.reversed())
            // In a user namespace, the user has another number.
            let mapped = try proc(status: Self.status, environment: [], map: "0 1001 1\n1 100000 65536\n").places(
                of: 77)
            #expect(mapped?.paths == ["/tmp/chainview-0", "/run/user/0/chainview"] && mapped?.user == 1001)
        }

        @Test(arguments: [
            "TMPDIR=/var/../../etc", "TMPDIR=/var/../\u{301}etc", "TMPDIR=relative", "TMPDIR=", "TMPDIR", "=",
            "XTMPDIR=/a",
            "XDG_RUNTIME_DIR=/" + String(repeating: "x", count: 108), "TMPDIR=/" + String(repeating: "é", count: 60),
        ])
        func aHostileEnvironmentNamesNoFolder(_ text: String) throws {
            let places = try proc(status: Self.status, environment: Array(text.utf8)).places(of: 77)
            #expect(places?.paths == Self.usual)
        }

        @Test func hostileBytesAreBounded() throws {
            // Not UTF-8.
            let broken = try proc(status: Self.status, environment: Array("TMPDIR=/".utf8) + [0xFF, 0]).places(of: 77)
            #expect(broken?.paths == Self.usual)
            // Past what is read.
            let long = [UInt8](repeating: 0x41, count: 1 << 20) + [0] + Array("TMPDIR=/a\0".utf8)
            #expect(try proc(status: Self.status, environment: long).places(of: 77)?.paths == Self.usual)
            for status in ["", "Uid:\n", "Uid:\tx\ty\n", "Uid:\t1\t99999999999\n", "xUid:\t1\t1\n"] {
                #expect(try proc(status: status, environment: []).places(of: 77) == nil, "\(status)")
            }
            let named = try proc(status: "Uid:\t1\t2\nNSpid:\t-1\t4294967295\nUid:\t3\t4\n", environment: []).places(
                of: 77)
            #expect(named?.user == 2 && named?.ownPid == 77)
        }

        @Test func aFolderOfAnotherPidNamespaceIsNotUsed() throws {
            _ = try proc(status: Self.status, environment: [])
            let path = folder.base + "/proc"
            unlink(path + "/self")
            symlink("77", path + "/self")
            #expect(ProcFolder(path) == nil && ProcFolder("") == nil && ProcFolder("/nowhere") == nil)
        }
    }
#endif

// SPDX-License-Identifier: MIT
