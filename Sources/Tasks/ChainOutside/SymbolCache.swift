// SPDX-License-Identifier: MIT

import ChainSystem

/// The symbol tables of files, read once for all processes that run the same build: reading those of a program takes up
/// to some 100 ms.
///
/// A file is known by its build id. What a user's file says is used for files of that user alone, because a file may have
/// the id of another one. Tables past a limit are forgotten, those used longest ago first.
final class SymbolCache: Sendable {
    /// That of this process.
    static let shared = SymbolCache(limit: 256 << 20)

    private struct Key: Hashable {
        let file: ElfFile.Build
        let isDynamic: Bool
    }

    /// Locked while the table is read, so that another reader of the same file waits for it.
    private typealias Entry = Lock<SymbolTable?>

    private struct State {
        /// The last one was used last.
        var entries: [(key: Key, entry: Entry, byteCount: Int)] = []
    }

    private let state = Lock(State())
    /// The most bytes that are kept; the table used last is kept if it is larger.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns a table of symbols of a file, as ``ElfFile/symbols(isDynamic:)`` does.
    func table(of file: ElfFile, isDynamic: Bool) -> SymbolTable? {
        guard let build = file.build else { return file.symbols(isDynamic: isDynamic) }
        let key = Key(file: build, isDynamic: isDynamic)
        let entry = state.withLock { state in
            let index = state.entries.firstIndex { $0.key == key }
            let entry = index.map { state.entries.remove(at: $0) } ?? (key: key, entry: Entry(nil), byteCount: 0)
            state.entries.append(entry)
            return entry.entry
        }
        let table = entry.withLock { table in
            if table == nil { table = file.symbols(isDynamic: isDynamic) }
            return table
        }
        note(table?.byteCount ?? 0, of: key)
        return table
    }

    private func note(_ byteCount: Int, of key: Key) {
        state.withLock { state in
            if let index = state.entries.lastIndex(where: { $0.key == key }) {
                state.entries[index].byteCount = byteCount
            }
            var total = state.entries.reduce(0) { $0 + $1.byteCount }
            while total > limit, state.entries.count > 1 { total -= state.entries.removeFirst().byteCount }
        }
    }
}
