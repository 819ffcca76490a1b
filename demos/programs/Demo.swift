import PromiseRuntime

/// A program that runs inside chainview, to look at.
public struct Demo: Sendable {
    /// Its name on the command line.
    public let name: String
    /// What there is to see, in one line.
    public let summary: String
    /// What there is to see and which keys to try, in one line below the rows.
    public let caption: String
    /// The caption, then its shorter forms: without what there is to see, then without what the keys do.
    public var captions: [String] {
        let keys = String(caption[(caption.firstRange(of: "try ")?.lowerBound ?? caption.startIndex)...])
        return [caption, keys, keys.replacing(#/ \([^)]*\)/#, with: "")]
    }

    /// The most arguments that it takes after its name.
    public let argumentLimit: Int
    /// Whether its chains are so many that they are grouped from the start.
    public let isGrouped: Bool
    private let body: @Sendable (DemoContext) throws -> Void

    init(
        _ name: String, _ summary: String, caption: String, argumentLimit: Int = 0, isGrouped: Bool = false,
        _ body: @escaping @Sendable (DemoContext) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.caption = caption
        self.argumentLimit = argumentLimit
        self.isGrouped = isGrouped
        self.body = body
    }

    /// Starts the demo in the context's runtime, and returns. The demo goes on by itself until the context is closed.
    ///
    /// - Throws: ``DemoError`` if an argument is of no use, such as a folder that does not exist.
    public func start(in context: DemoContext) throws { try context.runtime.run { try body(context) } }

    /// All demos, in the order in which to show them.
    public static let all: [Demo] = [
        .checkout, .files, .trip, .steps, .coffee, .counter, .pages, .mirrors, .storm, .stuck,
    ]

    /// The demo of that name.
    public static func named(_ name: String) -> Demo? { all.first { $0.name == name } }
}

/// The reason why a demo cannot start.
public struct DemoError: Error, CustomStringConvertible {
    /// One sentence: what is wrong, and what to do.
    public let description: String
}

// SPDX-License-Identifier: MIT
