import PromiseRuntime

/// A demo: something that happens, told with promises.
public struct Story: Sendable {
    /// What it is called on the command line.
    public let name: String
    /// What there is to see, in one line.
    public let summary: String
    private let tell: @Sendable (Stage) throws -> Void

    init(_ name: String, _ summary: String, _ tell: @escaping @Sendable (Stage) throws -> Void) {
        self.name = name
        self.summary = summary
        self.tell = tell
    }

    /// Sets the story going in the stage's runtime, and returns; it goes on by itself until the stage is closed.
    ///
    /// - Throws: ``StoryError`` where what it is about is not there.
    public func start(on stage: Stage) throws { try stage.runtime.run { try tell(stage) } }

    /// All stories, in the order in which to show them.
    public static let all: [Story] = [
        .checkout, .files, .trip, .steps, .mirrors, .storm, .stuck,
    ]

    /// The story of that name.
    public static func named(_ name: String) -> Story? { all.first { $0.name == name } }

    /// The names that somebody may have meant, nearest first; at most three.
    public static func names(near name: String) -> [String] {
        let name = name.lowercased()
        let near = all.map { (name: $0.name, distance: editDistance($0.name, name)) }
            .filter { $0.distance <= max(2, name.count / 2) || $0.name.hasPrefix(name) }
        return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }
}

/// Why a story cannot be told: one sentence.
public struct StoryError: Error, CustomStringConvertible {
    /// The sentence.
    public let description: String
}

/// How many characters have to be added, dropped or changed to make one text of the other.
private func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let change = diagonal + (right[column] == character ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(change, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
