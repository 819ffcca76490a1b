// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainInsight
import Dashboard

/// Queries on the command line. `@name` is a query of the configuration file, or a built-in query.
enum QueryArgument {
    /// The end of the help of `--where`: examples.
    static let examples = """
        'failed', 'live total>5s', 'Order.swift:42', 'state:rejected kind:all', 'charge|bank -refund', 'warning:any', \
        'not run<=100ms', or '@name' for a query of the configuration file.
        """

    /// Parses the query of `--where` for nodes. `readsFrames` is whether the command reads the frames of tasks, which
    /// `in:` asks for.
    static func nodes(_ text: String, readsFrames: Bool = false) throws -> Query {
        let query = try parse(text, SavedQueries.query)
        return readsFrames ? query : try withoutFrames(query)
    }

    /// Parses the query of `--where` for events, which may have terms such as `event:rejected`.
    static func events(_ text: String) throws -> Query { try withoutFrames(parse(text, SavedQueries.eventQuery)) }

    private static func withoutFrames(_ query: Query) throws -> Query {
        guard query.readsFrames else { return query }
        throw ValidationError("--where: in: is for chainview ps and the dashboard, which read the frames of tasks.")
    }

    private static func parse(
        _ text: String, _ read: (String, [String: String]) throws(QueryError) -> Query
    ) throws -> Query {
        let saved = text.contains("@") ? ConfigFile.saved(Folders()).configuration.queries : [:]
        do { return try read(text, saved) } catch {
            guard SavedQueries.name(in: text) == nil else {
                throw ValidationError("--where: \(DisplayText.shown(error.description)).")
            }
            throw ValidationError("--where cannot be read \(error.words(in: text)).")
        }
    }
}
