// SPDX-License-Identifier: MIT

import ChainEvents
import ChainExport

/// A run of an export: it reads a program or a recording, and passes the nodes to an exporter.
struct ExportRun {
    private let source: ForestSource
    /// Reads the batches; nil if only the present state of a program is exported.
    private let loop: BatchLoop?
    let isFollowing: Bool
    /// Catches signals where there is no loop.
    private let signals: EndingSignals?

    /// Makes a run, and begins to catch signals. If only the present state of a program is exported, signals are caught
    /// only with `waits`, for an export that may wait for another program.
    init(_ source: ForestSource, _ follow: FollowOptions, waits: Bool = false) {
        self.source = source
        isFollowing = follow.isOn
        if case .program = source, !follow.isOn { loop = nil } else { loop = BatchLoop(source, for: follow.duration) }
        signals = loop == nil && waits ? EndingSignals() : nil
    }

    /// Whether a signal has come that ends the export.
    var isInterrupted: Bool { loop?.isInterrupted ?? (signals?.received != nil) }

    /// Calls `make` with the program, passes all nodes to the exporter that `make` returns, and calls `end`.
    ///
    /// - Parameter whilePaused: called while a program is followed, after batches and in pauses.
    func nodes<Exporter: NodeExporter>(
        make: (ProcessDescription) throws -> Exporter, whilePaused: (inout Exporter) throws -> Void = { _ in },
        end: (inout ExportStream<Exporter>) throws -> Void
    ) throws {
        var options = ExportStream<Exporter>.Options()
        // The delay is short, because a person may read the output.
        if isFollowing { options.delay = 1_000_000_000 }
        guard let loop else {
            let state = try source.state()
            var stream = ExportStream(of: state.process.key, to: try make(state.process), options: options)
            for batch in state.batches { try stream.apply(batch) }
            try stream.end()
            return try end(&stream)
        }
        var stream: ExportStream<Exporter>?
        func pause() throws -> Bool {
            if isFollowing, stream != nil { try whilePaused(&stream!.exporter) }
            return true
        }
        try loop.run(
            begin: { reader in
                options.start = reader.start
                stream = ExportStream(of: reader.process.key, to: try make(reader.process), options: options)
            },
            take: { batch in
                try stream?.apply(batch)
                return try pause()
            },
            whilePaused: pause,
            end: {
                // A part of a recording must not look like the whole recording.
                if loop.isInterrupted, !isFollowing {
                    throw Failure(
                        status: .inputOutput, message: "interrupted: the recording was not exported to its end.")
                }
                try stream?.end()
                if stream != nil { try end(&stream!) }
            })
    }
}
