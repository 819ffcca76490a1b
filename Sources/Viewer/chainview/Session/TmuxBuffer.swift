// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation

/// The clipboard of tmux, which passes it on to the terminal.
enum TmuxBuffer {
    /// Whether this process runs inside tmux.
    static var isInTmux: Bool { !(ProcessInfo.processInfo.environment["TMUX"] ?? "").isEmpty }

    /// Copies a text. Returns nil, or why that failed, in a sentence. Waits for tmux.
    static func load(_ text: String) -> String? {
        // Before version 3.2 tmux does not know -w, and keeps the text for itself.
        if run(["load-buffer", "-w", "-"], text) { return nil }
        return run(["load-buffer", "-"], text)
            ? "copied to tmux only: this version of tmux does not pass it on to the terminal"
            : "not copied: tmux load-buffer failed"
    }

    private static func run(_ arguments: [String], _ text: String) -> Bool {
        var ends: [Int32] = [-1, -1]
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { return false }
        defer { close(null) }
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var start = ProgramStart("tmux", arguments: ["tmux"] + arguments)
        start.searchesPath = true
        start.descriptors = [(ends[0], STDIN_FILENO), (null, STDOUT_FILENO), (null, STDERR_FILENO)]
        let pid = try? start.run()
        close(ends[0])
        // Without a signal if tmux has ended already.
        signal(SIGPIPE, SIG_IGN)
        let isWritten = pid != nil && Streams.write(text, to: ends[1])
        close(ends[1])
        guard let pid else { return false }
        return ProgramEnding.wait(for: pid) == .exited(0) && isWritten
    }
}
