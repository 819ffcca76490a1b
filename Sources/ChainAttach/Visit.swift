import ChainEvents
import ChainWire

/// Single questions to a program, for scripts: each attaches, asks, and detaches in good order. They wait, on the thread
/// that calls.
public enum Visit {
    /// The program's whole state as it is now: to be folded in this order.
    ///
    /// - Parameter timeLimit: for all of it together.
    public static func state(
        of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> (hello: Hello, batches: [EventBatch]) {
        throw AttachError(.gone, "Nothing listens at \(endpoint)")
    }

    /// Has a command carried out, and gives what became of it.
    ///
    /// - Parameter timeLimit: for all of it together; after it the command may have been carried out all the same.
    public static func perform(
        _ request: Command.Request, at endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> CommandReply {
        throw AttachError(.gone, "Nothing listens at \(endpoint)")
    }
}
