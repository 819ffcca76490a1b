import ChainBus
import ChainEvents
import ChainSource

/// A program in another process as a source: attaches, and attaches again by itself whenever the connection is lost.
public final class AttachedProcess: BatchSource {
    private let batchSubject = PublishSubject<EventBatch>()
    private let statusSubject = BehaviorSubject<SourceStatus>(.idle)
    private let replySubject = PublishSubject<CommandReply>()

    /// Describes what to attach to; nothing is looked up before ``start()``.
    public init(_ target: Target, options: AttachOptions = AttachOptions()) {}

    /// What the program says.
    public var batches: Observable<EventBatch> { batchSubject.observable }
    /// How the connection is doing.
    public var status: Observable<SourceStatus> { statusSubject.observable }
    /// Answers to commands.
    public var replies: Observable<CommandReply> { replySubject.observable }

    /// Begins to connect.
    public func start() {}

    /// Hands a command on, or refuses it where the program cannot be reached.
    public func send(_ command: Command) {
        replySubject.onNext(CommandReply(command: command.id, outcome: .refused("The program is not attached to")))
    }

    /// Detaches and gives everything back.
    public func stop() {
        statusSubject.onNext(.ended(.stopped))
        statusSubject.onCompleted()
        batchSubject.onCompleted()
        replySubject.onCompleted()
    }
}
