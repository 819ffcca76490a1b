// SPDX-License-Identifier: MIT

import CChainRuntime

/// The runtime and the executor that promises of one tree share, and the label of a promise that has a label. For most
/// promises, this is the context of their root, namely the runtime itself, so a context costs them one word. The class
/// is public only because it is the superclass of ``ChainRuntime``.
public class _PromiseContext: @unchecked Sendable {
    // Sendable: nothing changes after init.
    /// Runs the handlers of the promises that have this context: for a runtime, the handlers of promises that name no
    /// executor.
    public final let executor: any PromiseExecutor
    @usableFromInline final let label: String?
    /// Whether the executor is the inline executor, which needs no hop.
    final let isInline: Bool
    /// Whether the executor's type belongs to this module: executors of this module run or discard every job.
    private final let neverDropsJobs: Bool
    /// The context from which this context was made; nil for a runtime. Keeps the runtime alive.
    private final let base: Context?
    /// Whether children inherit this context; otherwise they inherit `base`, which has no label.
    private final let isInherited: Bool
    /// The runtime, unretained: it is this object itself, or `base` keeps it alive.
    // Unchecked: written only in init.
    @exclusivity(unchecked)
    private(set) final var runtimeReference: UnsafeRawPointer
    /// Whether the context lives for ever; true for the shared runtime alone.
    private final let isImmortal: Bool

    /// Makes the context of a runtime's roots, which is the runtime itself.
    init(executor: any PromiseExecutor, isImmortal: Bool) {
        self.executor = executor
        self.isImmortal = isImmortal
        isInline = executor === InlineExecutor.shared
        neverDropsJobs = GuardedJob.neverDropsJobs(executor)
        label = nil
        base = nil
        isInherited = true
        // A placeholder, because `self` may be used only once every property is set.
        runtimeReference = UnsafeRawPointer(bitPattern: 1)!
        runtimeReference = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    private init(executor: any PromiseExecutor, label: String = "", base: Context, isInherited: Bool = false) {
        self.executor = executor
        self.isInherited = isInherited
        self.label = label.isEmpty ? nil : label
        self.base = base
        isInline = executor === InlineExecutor.shared
        neverDropsJobs = GuardedJob.neverDropsJobs(executor)
        isImmortal = false
        runtimeReference = base.runtimeReference
    }

    /// The executor of completion handlers that name no executor: it is the executor of the link's own handler. If the
    /// link alone is inline, as `asResult` is, it is the executor of the chain.
    final var completionExecutor: any PromiseExecutor { isInline && !isInherited ? base!.executor : executor }

    private final var unretainedRuntime: Unmanaged<ChainRuntime> { Unmanaged.fromOpaque(runtimeReference) }

    /// The runtime of the promises with this context.
    final var runtime: ChainRuntime { unretainedRuntime.takeUnretainedValue() }

    /// Whether a recorder of the runtime runs.
    @inline(__always)
    final var isRecording: Bool { unretainedRuntime._withUnsafeGuaranteedRef { $0.hasRecorder } }

    /// Whether a recorder with a filter runs.
    @inline(__always)
    final var isNarrowed: Bool { unretainedRuntime._withUnsafeGuaranteedRef { $0.hasFilteringRecorder } }

    /// Submits a promise's work to the executor; if the executor drops the work, the promise is abandoned.
    final func submit(_ content: _Runnable) {
        executor.submit(PromiseJob(neverDropsJobs ? content : GuardedJob(content)))
    }

    /// Calls `body` with the runtime, without counting a reference.
    @inline(__always)
    final func withRuntime(_ body: (ChainRuntime) -> Void) { unretainedRuntime._withUnsafeGuaranteedRef(body) }

    /// The recorder's sink, unretained: the runtime keeps it alive.
    @inline(__always)
    final var sinkReference: Unmanaged<SinkBox>? {
        unretainedRuntime._withUnsafeGuaranteedRef { $0.ownSinkReference }
    }

    // Labels are plain strings, and the empty string stands for no label: with an optional parameter the compiler
    // infers optional elements in `["a", "b"].map { work(label: $0) }`.

    /// Returns the context of a root in ``ChainRuntime/current``. The root's descendants inherit the executor, but not
    /// the label.
    @usableFromInline
    static func root(label: String, executor: (any PromiseExecutor)?) -> Context {
        let runtime = ChainRuntime.current
        if label.isEmpty, executor == nil { return runtime }
        guard let executor else { return Context(executor: runtime.executor, label: label, base: runtime) }
        let chain = Context(executor: executor, base: runtime, isInherited: true)
        return label.isEmpty ? chain : Context(executor: executor, label: label, base: chain)
    }

    /// Returns the context of a child. The child's descendants inherit the chain's executor, not `executor`, and no
    /// label.
    @usableFromInline
    final func child(label: String, executor: (any PromiseExecutor)?) -> Context {
        let chain = isInherited ? self : base!
        if label.isEmpty, executor == nil { return chain }
        return Context(executor: executor ?? chain.executor, label: label, base: chain)
    }

    // MARK: As a word of a promise

    /// Returns ``root(label:executor:)`` as an owned word. Without a label and an executor, the word refers to the
    /// runtime.
    @usableFromInline
    static func rootWord(label: String, executor: (any PromiseExecutor)?) -> UInt {
        if label.isEmpty, executor == nil, let pointer = chain_thread_current().pointee.runtime {
            return Unmanaged<Context>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.reference() }
        }
        return root(label: label, executor: executor).reference()
    }

    /// Returns ``child(label:executor:)`` as an owned word.
    @usableFromInline
    final func childWord(label: String, executor: (any PromiseExecutor)?) -> UInt {
        if label.isEmpty, executor == nil, isInherited { return reference() }
        return child(label: label, executor: executor).reference()
    }

    /// Returns the address of this context as an owned word: a retained reference. If the context is immortal, the
    /// reference is not retained and bit 0 is set, so that most promises count no references.
    @usableFromInline
    final func reference() -> UInt {
        let unretained = Unmanaged.passUnretained(self)
        if isImmortal { return UInt(bitPattern: unretained.toOpaque()) | 1 }
        return UInt(bitPattern: unretained.retain().toOpaque())
    }

    /// Returns the context in a word; the word's high 16 bits may hold other data.
    @inline(__always)
    static func unretained(_ word: UInt) -> Unmanaged<Context> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word & 0xFFFF_FFFF_FFFE)!)
    }

    /// Releases the context in a word, unless the context is immortal.
    @inline(__always)
    static func releaseOwned(_ word: UInt) { if word & 1 == 0 { unretained(word).release() } }
}

@usableFromInline typealias Context = _PromiseContext
