import CChainRuntime

/// What a promise shares with its relatives: the runtime and the executor of their handlers; and, where one was given, a
/// label of its own. Most promises share their root's, so that it costs them one word.
@usableFromInline
final class Context: Sendable {
    @usableFromInline let runtime: Runtime
    /// Runs this promise's handler.
    @usableFromInline let executor: any PromiseExecutor
    @usableFromInline let label: String?
    /// What children inherit, where that differs: the chain's executor, no label.
    private let heritage: Context?

    init(runtime: Runtime, executor: any PromiseExecutor, label: String = "", heritage: Context? = nil) {
        self.runtime = runtime
        self.executor = executor
        self.label = label.isEmpty ? nil : label
        self.heritage = heritage
    }

    // Labels are plain strings, empty for none: an optional parameter would make the compiler infer optionals in the
    // closures of users who pass an element for a label.

    /// The context of a promise that no other is the parent of: of the runtime whose handler runs here, or the default.
    @usableFromInline
    static func root(label: String, executor: (any PromiseExecutor)?) -> Context {
        let base = Runtime.current.rootContext
        if label.isEmpty, executor == nil { return base }
        guard let executor else {
            return Context(runtime: base.runtime, executor: base.executor, label: label, heritage: base)
        }
        let chain = Context(runtime: base.runtime, executor: executor)
        return label.isEmpty ? chain : Context(runtime: base.runtime, executor: executor, label: label, heritage: chain)
    }

    /// The context of a child: its label and executor are its own, what it hands on is the chain's.
    @usableFromInline
    func child(label: String, executor: (any PromiseExecutor)?) -> Context {
        let base = heritage ?? self
        if label.isEmpty, executor == nil { return base }
        return Context(runtime: base.runtime, executor: executor ?? base.executor, label: label, heritage: base)
    }
}
