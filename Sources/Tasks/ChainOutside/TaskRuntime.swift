// SPDX-License-Identifier: MIT

/// Where Swift's concurrency runtime keeps what is needed to read tasks: found by the names of its variables for
/// debuggers, or in a stripped program by what its metadata looks like.
struct TaskRuntime: Sendable {
    /// The metadata of tasks, which is the first word of each: one for each copy of the runtime in the process.
    private(set) var metadata: [UInt64] = []
    /// The functions with which a task that awaits another one continues: the context before holds the caller's.
    private(set) var waitAdapters: Set<UInt64> = []
    /// The functions with which a task begins that has no frame of its own yet.
    private(set) var startAdapters: Set<UInt64> = []
    private(set) var layout = TaskLayout()
    /// Whether the names of the runtime's variables were found.
    private(set) var isNamed = false

    /// The prefix of the runtime's variables for debuggers (`swift/Runtime/Debug.h`).
    static let prefix = "_swift_concurrency_debug_"
    /// The kinds of the metadata of tasks and of jobs (`MetadataKind.def`).
    private static let taskKind: UInt64 = 0x502, jobKind: UInt64 = 0x503

    /// A runtime with this metadata of tasks, and with no other part known.
    init(metadata: [UInt64], layout: TaskLayout) {
        self.metadata = metadata
        self.layout = layout
    }

    /// Finds the runtime of a process; nil if the process has none that is known.
    init?(_ memory: ProcessMemory, _ map: MemoryMap, _ images: ProcessImages) {
        // The tables of dynamic symbols are small. Those of the program and, if nothing was found, of its libraries have
        // the names of a runtime that was linked statically.
        for image in images.images {
            let isProgram = image.path == images.program
            use(image.addresses(withPrefix: Self.prefix, isDynamic: true), memory)
            if isProgram { use(image.addresses(withPrefix: Self.prefix, isDynamic: false), memory) }
        }
        if metadata.isEmpty {
            for image in images.images { use(image.addresses(withPrefix: Self.prefix, isDynamic: false), memory) }
        }
        isNamed = !metadata.isEmpty
        if metadata.isEmpty { search(memory, map) }
        if metadata.isEmpty { return nil }
    }

    private mutating func use(_ variables: [String: UInt64], _ memory: ProcessMemory) {
        func value(_ name: String) -> UInt64? { variables[name].flatMap { memory.word($0) } }
        guard let task = value("asyncTaskMetadata"), task != 0, !metadata.contains(task) else { return }
        metadata.append(task)
        for name in ["task_wait_throwing_resume_adapter", "task_future_wait_resume_adapter"] {
            if let function = value(name) { waitAdapters.insert(function) }
        }
        for name in ["non_future_adapter", "future_adapter"] {
            if let function = value(name) { startAdapters.insert(function) }
        }
        // The upper bits of the version say where the current task is stored.
        let version = variables["internal_layout_version"].flatMap { memory.word($0) }.map { UInt32($0 & 0xFF_FFFF) }
        let size = value("asyncTaskSize").map { Int($0 & 0xFFFF_FFFF) }
        let name = variables["asyncTaskNameOffset"].flatMap { memory.word($0) }.map { Int($0 & 0xFFFF_FFFF) }
        layout = TaskLayout(version: version, taskSize: size, nameOffset: name)
    }

    /// Searches the constants of all files: metadata of tasks has the words `0, destroy, 0, kind, 0, 1, invoke`, as
    /// metadata of jobs has with the same function `invoke`.
    private mutating func search(_ memory: ProcessMemory, _ map: MemoryMap) {
        var tasks: [(address: UInt64, invoke: UInt64)] = []
        var jobs: [(address: UInt64, invoke: UInt64)] = []
        forEachConstant(memory, map) { words, index, address in
            let kind = words[index]
            guard kind == Self.taskKind || kind == Self.jobKind, index >= 3, index + 3 < words.count,
                words[index - 1] == 0, map.isExecutable(words[index - 2]), map.isExecutable(words[index + 3])
            else { return }
            if kind == Self.taskKind {
                tasks.append((address, words[index + 3]))
            } else {
                jobs.append((address, words[index + 3]))
            }
        }
        let pairs = tasks.compactMap { task in
            jobs.first { $0.invoke == task.invoke }.map { (task: task.address, job: $0.address) }
        }
        guard !pairs.isEmpty else { return }
        metadata = pairs.map(\.task)
        // The runtime's variables for debuggers stand together: job, task, and four adapters.
        forEachConstant(memory, map) { words, index, _ in
            guard index >= 1, index + 4 < words.count,
                pairs.contains(where: { $0.task == words[index] && $0.job == words[index - 1] }),
                map.isExecutable(words[index + 1]), map.isExecutable(words[index + 4])
            else { return }
            startAdapters.formUnion(words[index + 1...index + 2])
            waitAdapters.formUnion(words[index + 3...index + 4])
        }
    }

    /// Calls `body` with each word of what is mapped from files and cannot be executed.
    private func forEachConstant(
        _ memory: ProcessMemory, _ map: MemoryMap, _ body: (_ words: [UInt64], _ index: Int, _ address: UInt64) -> Void
    ) {
        for region in map.regions where region.isFile && region.isReadable && !region.isExecutable {
            let count = Int(clamping: (region.end - region.start) / 8)
            guard count <= 64 << 20, let words = memory.words(region.start, count) else { continue }
            for index in words.indices { body(words, index, region.start + UInt64(index) * 8) }
        }
    }
}

/// The offsets of a task's parts in bytes. Checked for the runtimes of Swift 6.1 to 6.3 (versions 0 and 1).
struct TaskLayout: Hashable, Sendable {
    /// The version that the runtime states; nil if it states none.
    var version: UInt32?
    /// The size of a task without what follows it: for a child the parent and the next child, then the result.
    var taskSize = 208
    /// Where the name of a named task is; nil if it is in a status record.
    var nameOffset: Int?

    /// Bytes that are read of each task: the task, and the words that follow it.
    static let readSize = 256

    // From `swift/ABI/Task.h`, `TaskPrivate.h`.
    static let flags = 32, id = 36, resume = 56, context = 64, status = 96, record = 104, upperID = 144

    init() {}

    init(version: UInt32?, taskSize: Int?, nameOffset: Int?) {
        self.version = version
        if let taskSize, (160...240).contains(taskSize), taskSize % 8 == 0 { self.taskSize = taskSize }
        // The name has two words at most, and the parent and the next child follow.
        if (version ?? 0) >= 2, let nameOffset, nameOffset % 8 == 0,
            (self.taskSize - 64...Self.readSize - 32).contains(nameOffset)
        {
            self.nameOffset = nameOffset
        }
    }
}
