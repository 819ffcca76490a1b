import PromiseRuntime

extension Demo {
    /// Real work: a folder, walked and checksummed, at the pace of an old disk so that there is something to see;
    /// `--speed 1000` is the pace of yours.
    static let files = Demo(
        "files", "reads and checksums a real folder (files FOLDER); cancel a folder, its work stops",
        argumentLimit: 1
    ) {
        stage in
        let folder = stage.arguments.first ?? "."
        let disk = Disk()
        guard disk.isFolder(folder) else {
            throw DemoError(description: "\(folder) is no folder that can be read: name one that is.")
        }
        Walk(stage: stage, disk: disk).folder(folder, name: folder)
            .map(label: "together") { $0.description }
            .failed(label: "say why") { _ in }
    }
}

/// What was found in a folder and below.
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
        return "\(fileCount) files, \(byteCount) bytes\(unreadable), sum \(String(sum, radix: 16))"
    }
}

private struct Walk: Sendable {
    let stage: DemoContext
    let disk: Disk
    /// Reading blocks, so it has threads of its own.
    let readers: any PromiseExecutor

    init(stage: DemoContext, disk: Disk) {
        self.stage = stage
        self.disk = disk
        readers = stage.pool("disk", width: 4)
    }

    /// A folder is a node; below it stand its files, four at a time, and then its folders.
    func folder(_ path: String, name: String) -> Promise<Tally> {
        Promise(label: "\(name)/", on: readers) { resolve, _ in
            let entries = try disk.list(path)
            let tallies = Promise.sequence(entries.files, concurrency: 4, label: "\(entries.files.count) files") {
                file in
                self.file("\(path)/\(file)", name: file)
            }
            .then(label: "\(entries.folders.count) folders") { files in
                Promise.sequence(entries.folders, concurrency: 2) { folder in
                    self.folderOrNothing("\(path)/\(folder)", name: folder)
                }
                .map(label: "with the files") { folders in files + folders }
            }
            resolve(tallies.map(label: "add up") { $0.reduce(into: Tally()) { $0.add($1) } })
        }
    }

    /// A folder that cannot be read, or was cancelled, is one line of the tally and not the end of the walk. The promise
    /// round it is what lets it recover: a cancellation goes on to all that hangs on the folder, not to who follows it.
    private func folderOrNothing(_ path: String, name: String) -> Promise<Tally> {
        Promise(label: "enter \(name)") { resolve, _ in resolve(self.folder(path, name: name)) }
            .catch(label: "leave it out") { error in
                guard error is DiskError || error is PromiseCancelled else { throw error }
                return Tally(unreadableCount: 1)
            }
    }

    private func file(_ path: String, name: String) -> Promise<Tally> {
        Promise(label: name, on: readers) {
            try stage.block(0.05)
            return try disk.checksum(path) { ChainRuntime.isCancelled }
        }
        .map(label: "tally") { Tally(fileCount: 1, byteCount: $0.byteCount, sum: $0.value) }
        .catch(only: DiskError.self, label: "unreadable") { _ in Tally(unreadableCount: 1) }
    }
}
