import CChainRuntime

/// What promises share with their relatives: the runtime and the executor of their handlers; and, where one was given, a
/// label of their own. Most share their root's, which is the runtime itself, so that it costs them one word. Only
/// ``Runtime`` is of use to a program.
public class _PromiseContext: @unchecked Sendable {
    // Sendable: nothing changes after init.
    /// Runs the handlers of promises that name no executor.
    public final let executor: any PromiseExecutor
    @usableFromInline final let label: String?
    /// Whether the executor is the inline one, which needs no hop.
    final let isInline: Bool
    /// Whether the executor is one of ours, which run or discard each job for certain.
    private final let keepsJobs: Bool
    /// What children inherit where that differs: the chain's executor, no label. It keeps the runtime alive.
    private final let inherited: Context?
    /// Whether children inherit this one itself, although it has something to keep alive.
    private final let isInherited: Bool
    /// The runtime, unretained: this object itself, or kept by `inherited`.
    // Unchecked: written once, in init.
    @exclusivity(unchecked)
    private(set) final var runtimeReference: UnsafeRawPointer
    private final let isImmortal: Bool

    /// For a runtime, which is the context of its roots.
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

    private final var unretainedRuntime: Unmanaged<Runtime> { Unmanaged.fromOpaque(runtimeReference) }

    /// The runtime that promises of this context belong to.
    final var runtime: Runtime { unretainedRuntime.takeUnretainedValue() }

    @inline(__always)
    final var isRecording: Bool { unretainedRuntime._withUnsafeGuaranteedRef { $0.isRecordingHere } }

    @inline(__always)
    final var isNarrowed: Bool { unretainedRuntime._withUnsafeGuaranteedRef { $0.isNarrowedHere } }

    /// Hands work of a promise to the executor; if that drops it, the promise is abandoned.
    final func submit(_ content: _Runnable) {
        executor.submit(PromiseJob(keepsJobs ? content : GuardedJob(content)))
    }

    /// The runtime, without a reference of the caller's own.
    @inline(__always)
    final func withRuntime(_ body: (Runtime) -> Void) { unretainedRuntime._withUnsafeGuaranteedRef(body) }

    /// Where its promises report to, unretained: the runtime keeps it.
    @inline(__always)
    final var sinkReference: Unmanaged<SinkBox>? {
        unretainedRuntime._withUnsafeGuaranteedRef { $0.sinkReferenceHere }
    }

    // Labels are plain strings, empty for none: an optional parameter would make the compiler infer optionals in the
    // closures of users who pass an element for a label.

    /// The context of a promise that no other is the parent of: of the runtime whose handler runs here, or the default.
    @usableFromInline
    static func root(label: String, executor: (any PromiseExecutor)?) -> Context {
        let base = Runtime.current
        if label.isEmpty, executor == nil { return base }
        guard let executor else { return Context(executor: base.executor, label: label, inherited: base) }
        let chain = Context(executor: executor, inherited: base, isInherited: true)
        return label.isEmpty ? chain : Context(executor: executor, label: label, inherited: chain)
    }

    /// The context of a child: its label and executor are its own, what it hands on is the chain's.
    @usableFromInline
    final func child(label: String, executor: (any PromiseExecutor)?) -> Context {
        let base = isInherited ? self : inherited!
        if label.isEmpty, executor == nil { return base }
        return Context(executor: executor ?? base.executor, label: label, inherited: base)
    }

    // MARK: In a promise's word

    /// ``root(label:executor:)`` as an owned word; with neither, that is one reference to the runtime.
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

    /// Its address, owned; with bit 0 set, and not owned, where it never ends: so most promises count no references.
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
