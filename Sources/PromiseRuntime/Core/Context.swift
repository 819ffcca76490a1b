import CChainRuntime

/// The runtime and the executor that promises of one tree share, and the label of a promise that has one. Most promises
/// share the context of their root, which is the runtime itself, so it costs them one word. Public only as the
/// superclass of ``ChainRuntime``.
public class _PromiseContext: @unchecked Sendable {
    // Sendable: nothing changes after init.
    /// Runs the handlers of promises that name no executor.
    public final let executor: any PromiseExecutor
    @usableFromInline final let label: String?
    /// Whether the executor is the inline one, which needs no hop.
    final let isInline: Bool
    /// Whether the executor is the runtime's own kind, which runs or discards every job.
    private final let keepsJobs: Bool
    /// The context that children inherit if it is not this one: the chain's executor, no label. Keeps the runtime
    /// alive.
    private final let inherited: Context?
    /// Whether children inherit this context itself, although `inherited` is set.
    private final let isInherited: Bool
    /// The runtime, unretained: this object itself, or kept alive by `inherited`.
    // Unchecked: written once, in init.
    @exclusivity(unchecked)
    private(set) final var runtimeReference: UnsafeRawPointer
    private final let isImmortal: Bool

    /// Makes the context of a runtime's roots, which is the runtime.
    init(executor: any PromiseExecutor, isImmortal: Bool) {
        self.executor = executor
        self.isImmortal = isImmortal
        isInline = executor === InlineExecutor.shared
        keepsJobs = GuardedJob.isNeedless(on: executor)
        label = nil
        inherited = nil
        isInherited = true
        runtimeReference = UnsafeRawPointer(bitPattern: 1)!
        runtimeReference = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    private init(executor: any PromiseExecutor, label: String = "", inherited: Context, isInherited: Bool = false) {
        self.executor = executor
        self.isInherited = isInherited
        self.label = label.isEmpty ? nil : label
        self.inherited = inherited
        isInline = executor === InlineExecutor.shared
        keepsJobs = GuardedJob.isNeedless(on: executor)
        isImmortal = false
        runtimeReference = inherited.runtimeReference
    }

    private final var unretainedRuntime: Unmanaged<ChainRuntime> { Unmanaged.fromOpaque(runtimeReference) }

    /// The runtime of the promises with this context.
    final var runtime: ChainRuntime { unretainedRuntime.takeUnretainedValue() }

    @inline(__always)
    final var isRecording: Bool { unretainedRuntime._withUnsafeGuaranteedRef { $0.isRecordingHere } }

    @inline(__always)
    final var isNarrowed: Bool { unretainedRuntime._withUnsafeGuaranteedRef { $0.isNarrowedHere } }

    /// Submits a promise's work to the executor; if the executor drops it, the promise is abandoned.
    final func submit(_ content: _Runnable) {
        executor.submit(PromiseJob(keepsJobs ? content : GuardedJob(content)))
    }

    /// Calls `body` with the runtime, without counting a reference.
    @inline(__always)
    final func withRuntime(_ body: (ChainRuntime) -> Void) { unretainedRuntime._withUnsafeGuaranteedRef(body) }

    /// The recorder's sink, unretained: the runtime keeps it alive.
    @inline(__always)
    final var sinkReference: Unmanaged<SinkBox>? {
        unretainedRuntime._withUnsafeGuaranteedRef { $0.sinkReferenceHere }
    }

    // Labels are plain strings, empty for none, because an optional parameter would make the compiler infer optional
    // elements in closures that pass an element as a label.

    /// The context of a root: of the runtime of the handler that runs on this thread, or the default.
    @usableFromInline
    static func root(label: String, executor: (any PromiseExecutor)?) -> Context {
        let base = ChainRuntime.current
        if label.isEmpty, executor == nil { return base }
        guard let executor else { return Context(executor: base.executor, label: label, inherited: base) }
        let chain = Context(executor: executor, inherited: base, isInherited: true)
        return label.isEmpty ? chain : Context(executor: executor, label: label, inherited: chain)
    }

    /// The context of a child: its own label and executor, above the chain's context for its children.
    @usableFromInline
    final func child(label: String, executor: (any PromiseExecutor)?) -> Context {
        let base = isInherited ? self : inherited!
        if label.isEmpty, executor == nil { return base }
        return Context(executor: executor ?? base.executor, label: label, inherited: base)
    }

    // MARK: In a promise's word

    /// ``root(label:executor:)`` as an owned word; without a label and executor it is one reference to the runtime.
    @usableFromInline
    static func rootWord(label: String, executor: (any PromiseExecutor)?) -> UInt {
        if label.isEmpty, executor == nil, let pointer = chain_thread_current().pointee.runtime {
            return Unmanaged<Context>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.reference() }
        }
        return root(label: label, executor: executor).reference()
    }

    /// ``child(label:executor:)`` as an owned word.
    @usableFromInline
    final func childWord(label: String, executor: (any PromiseExecutor)?) -> UInt {
        if label.isEmpty, executor == nil, isInherited { return reference() }
        return child(label: label, executor: executor).reference()
    }

    /// The address, owned; or with bit 0 set and not owned if the context is immortal, so that most promises count no
    /// references.
    @usableFromInline
    final func reference() -> UInt {
        let unretained = Unmanaged.passUnretained(self)
        if isImmortal { return UInt(bitPattern: unretained.toOpaque()) | 1 }
        return UInt(bitPattern: unretained.retain().toOpaque())
    }

    @inline(__always)
    static func unretained(_ word: UInt) -> Unmanaged<Context> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word & 0xFFFF_FFFF_FFFE)!)
    }

    @inline(__always)
    static func freeStorage(_ word: UInt) { if word & 1 == 0 { unretained(word).release() } }
}

@usableFromInline typealias Context = _PromiseContext
