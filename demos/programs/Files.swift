import PromiseRuntime

extension Demo {
    /// Real work: walks and checksums a folder, slowed down to the pace of an old disk, so that there is something to
    /// see; `--speed 1000` is the pace of the real one.
    static let files = Demo(
        "files", "reads and checksums a real folder (files FOLDER); cancel a folder, its work stops",
        caption: "a folder is read and checksummed: try c (cancel) on a folder, 2 (threads), 7 (profile)",
        argumentLimit: 1
    ) {
        context in
        let folder = context.arguments.first ?? "."
        let disk = Disk()
        guard disk.isFolder(folder) else {
            throw DemoError(description: "\(folder) is not a readable folder.")
        }
        let walk = Walk(context: context, disk: disk)
        Promise.scope("checksum of \(folder)") {
            walk.folder(folder, name: folder).map(label: "together") { $0.description }
        }
    }
}

/// The sums of a folder and of everything below it.
private struct Tally: Sendable, CustomStringConvertible {
    var fileCount = 0
    var byteCount = 0
    var unreadableCount = 0
    /// The files' checksums, mixed so that their order does not matter.
    var sum: UInt64 = 0

    mutating func add(_ other: Tally) {
        fileCount += other.fileCount
        byteCount += other.byteCount
        unreadableCount += other.unreadableCount
        sum ^= other.sum
    }

    var description: String {
        let unreadable = unreadableCount == 0 ? "" : ", \(unreadableCount) unreadable"
        return
            "\(counted(fileCount, "file")), \(counted(byteCount, "byte"))\(unreadable), sum \(String(sum, radix: 16))"
    }
}

private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

private struct Walk: Sendable {
    let context: DemoContext
    let disk: Disk
    /// The pool that reads files: a pool of its own, because reading blocks.
    let readers: any PromiseExecutor

    init(context: DemoContext, disk: Disk) {
        self.context = context
        self.disk = disk
        readers = context.pool("disk", width: 4)
    }

    /// Sums a folder: its files, four at a time, then its folders, two at a time.
    func folder(_ path: String, name: String) -> Promise<Tally> {
        .scope("\(name)/", on: readers) {
            let entries = try disk.list(path)
            return Promise.sequence(entries.files, concurrency: 4, label: counted(entries.files.count, "file")) {
                file in
                self.file("\(path)/\(file)", name: file)
            }
            .then(label: counted(entries.folders.count, "folder")) { files in
                Promise.sequence(entries.folders, concurrency: 2) { folder in
                    self.folderOrNothing("\(path)/\(folder)", name: folder)
                }
                .map(label: "with the files") { folders in files + folders }
            }
            .map(label: "add up") { $0.reduce(into: Tally()) { $0.add($1) } }
        }
    }

    /// Sums a folder; one that cannot be read, or was cancelled, counts as unreadable and does not end the walk.
    ///
    /// The scope follows the folder's promise. A cancellation is passed on to the children of a promise, so they cannot
    /// recover from it; a follower gets it as an error.
    private func folderOrNothing(_ path: String, name: String) -> Promise<Tally> {
        Promise.scope("enter \(name)") { self.folder(path, name: name) }
            .catch(label: "leave it out") { error in
                guard error is DiskError || error is PromiseCancelledError else { throw error }
                return Tally(unreadableCount: 1)
            }
    }

    private func file(_ path: String, name: String) -> Promise<Tally> {
        Promise(label: name, on: readers) {
            try context.block(0.05)
            return try disk.checksum(path) { ChainRuntime.isCancelled }
        }
        .map(label: "tally") { Tally(fileCount: 1, byteCount: $0.byteCount, sum: $0.value) }
        .catch(only: DiskError.self, label: "unreadable") { _ in Tally(unreadableCount: 1) }
    }
}

// SPDX-License-Identifier: MIT
