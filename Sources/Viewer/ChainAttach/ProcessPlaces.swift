// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire

/// Where a process may listen, as `/proc` shows it. The process is not trusted: it chooses its environment, and what is
/// below its root.
struct ProcessPlaces {
    let pid: Int32
    /// The pid that the process itself sees, and names its socket by. Another one than ``pid`` in a container.
    let ownPid: Int32
    /// The effective user, who has to own folder and socket.
    let user: UInt32
    /// What precedes a path that the process sees: `/proc/PID/root`, or nothing if this process sees the same files.
    let root: String
    /// The folders in which the process may listen, in its own view.
    let folders: [SocketFolder]

    /// The folders' paths in the view of this process.
    var paths: [String] { folders.map { root + $0.path } }

    /// Returns who has to listen at a socket that the process made.
    var owner: SocketOwner { SocketOwner(process: pid, user: user, root: root) }
}

/// The folder `/proc` of this process's own pid namespace.
struct ProcFolder {
    private let path: String
    /// The mount namespace and the root directory of this process.
    private let view: [String?]

    /// The greatest number of bytes that are read of a file. A process may have an environment of megabytes, and be in
    /// 65,536 groups.
    private static let readLimit = 256 << 10

    /// Nil if there is no such folder, or if it shows the processes of another pid namespace: its pids would not be
    /// those that the system reports of the other end of a socket.
    init?(_ path: String) {
        guard !path.isEmpty, Self.link(path + "/self") == "\(getpid())" else { return nil }
        self.path = path
        view = Self.view("\(path)/self")
    }

    /// Returns where the processes may listen to which this user may attach: the user's own, and all processes for root.
    func all(where isWanted: (Int32) -> Bool = { _ in true }) -> [ProcessPlaces] {
        let user = geteuid()
        return fileNames(in: path, limit: .max).compactMap { name in
            // The owner of the folder is looked at first, because that is a tenth of the cost of the rest.
            guard let pid = Int32(name), pid > 0, isWanted(pid),
                user == 0 || FileFacts(at: "\(path)/\(name)")?.owner == user,
                let places = places(of: pid), user == 0 || places.user == user
            else { return nil }
            return places
        }
    }

    /// Returns where a process of any user may listen; nil if there is no such process.
    func places(of pid: Int32) -> ProcessPlaces? {
        let folder = "\(path)/\(pid)"
        guard let status = Self.read(folder + "/status")?.split(separator: UInt8(ascii: "\n")),
            let user = Self.numbers("Uid:", in: status).dropFirst().first
        else { return nil }
        let ownPid = Self.numbers("NSpid:", in: status).last.flatMap { Int32(exactly: $0) } ?? pid
        // Another user's process does not show its view. It is then searched in this process's view.
        let view = Self.view(folder)
        let ownUser = Self.read(folder + "/uid_map").map { Self.ownUser(user, $0) } ?? user
        let environment = Self.variables(in: Self.read(folder + "/environ") ?? [])
        var folders: [SocketFolder] = []
        for folder in SocketFolder.candidates(environment: { environment[$0] }, user: ownUser)
            + SocketFolder.usual(user: ownUser)
        where folder.hasRoom && !folders.contains(folder) {
            folders.append(folder)
        }
        return ProcessPlaces(
            pid: pid, ownPid: ownPid, user: user, root: view == self.view || view.contains(nil) ? "" : folder + "/root",
            folders: folders)
    }

    private static func view(_ folder: String) -> [String?] { [link(folder + "/ns/mnt"), link(folder + "/root")] }

    /// Returns the numbers after a word at the beginning of a line. The system escapes line feeds in the names of
    /// processes, so that a name cannot make a line.
    private static func numbers(_ word: String, in status: [ArraySlice<UInt8>]) -> [UInt32] {
        let line = status.first { $0.starts(with: word.utf8) } ?? []
        return String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).dropFirst()
            .compactMap { UInt32($0) }
    }

    /// Returns the number that a user has in a process's user namespace, by the lines of its `uid_map`: a number in the
    /// namespace, one outside, and how many numbers follow each other from there.
    private static func ownUser(_ user: UInt32, _ map: [UInt8]) -> UInt32 {
        for line in map.split(separator: UInt8(ascii: "\n")) {
            let numbers = String(decoding: line, as: UTF8.self).split(separator: " ").compactMap { UInt32($0) }
            guard numbers.count == 3, user >= numbers[1], user - numbers[1] < numbers[2] else { continue }
            return numbers[0] &+ (user - numbers[1])
        }
        return user
    }

    /// Returns the variables that name folders. A value has to be a path that a socket may have, without `..`, which
    /// would lead out of the process's root.
    private static func variables(in environment: [UInt8]) -> [String: String] {
        var variables: [String: String] = [:]
        for entry in environment.split(separator: 0) {
            guard entry.first == UInt8(ascii: "X") || entry.first == UInt8(ascii: "T") else { continue }
            for name in ["XDG_RUNTIME_DIR", "TMPDIR"] where variables[name] == nil && entry.starts(with: name.utf8) {
                let bytes = entry.dropFirst(name.utf8.count + 1)
                guard entry.dropFirst(name.utf8.count).first == UInt8(ascii: "="),
                    bytes.count <= SocketFolder.pathLimit, let value = String(validating: bytes, as: UTF8.self),
                    !bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) })
                else { continue }
                variables[name] = value
            }
        }
        return variables
    }

    private static func link(_ path: String) -> String? {
        var count = -1
        let text = String(unsafeUninitializedCapacity: 256) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { count = readlink(path, $0.baseAddress!, $0.count) }
            return max(0, count)
        }
        return count < 0 ? nil : text
    }

    /// Reads the beginning of a file, in one call: `/proc` fills the buffer as far as the file goes.
    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: readLimit) { buffer, count in
            count = max(0, systemRead(file, buffer.baseAddress, buffer.count))
        }
    }
}

/// The system's `read`, under a name that the methods above do not hide.
private func systemRead(_ file: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    read(file, bytes, count)
}
