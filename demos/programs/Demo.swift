import PromiseRuntime

/// A demo: something that happens, told with promises.
public struct Demo: Sendable {
    /// What it is called on the command line.
    public let name: String
    /// What there is to see, in one line.
    public let summary: String
    /// How many words it takes after its name.
    public let argumentLimit: Int
    private let tell: @Sendable (DemoContext) throws -> Void

    init(
        _ name: String, _ summary: String, argumentLimit: Int = 0,
        _ tell: @escaping @Sendable (DemoContext) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.argumentLimit = argumentLimit
        self.tell = tell
    }

    /// Sets the story going in the stage's runtime, and returns; it goes on by itself until the stage is closed.
    ///
    /// - Throws: ``DemoError`` where what it is about is not there.
    public func start(on stage: DemoContext) throws { try stage.runtime.run { try tell(stage) } }

    /// All stories, in the order in which to show them.
    public static let all: [Demo] = [
        .checkout, .files, .trip, .steps, .mirrors, .storm, .stuck,
    ]

    /// The story of that name.
    public static func named(_ name: String) -> Demo? { all.first { $0.name == name } }
}

/// Why a story cannot be told: one sentence.
public struct DemoError: Error, CustomStringConvertible {
    /// The sentence.
    public let description: String
}
