// SPDX-License-Identifier: MIT

import Dashboard
import Frames
import Terminal

extension Settings {
    /// Shows sources, with or without a screen, until the end. A signal that ended the session is raised again.
    func show(_ sources: [NamedSource], remembers: Bool = true) throws {
        guard !isHeadless else {
            return try Headless(
                duration: display.duration.duration, size: display.frame.size.size,
                printsStatistics: display.printsStatistics
            )
            .run(sources, options: stateOptions, showing: configuredSettings.overlaid(with: flagSettings))
        }
        try show(sources, on: openScreen(), remembers: remembers)
    }

    /// Shows sources on an open screen, and closes it.
    func show(_ sources: [NamedSource], on screen: Screen, remembers: Bool = true) throws {
        let session = session(sources, on: screen, remembers: remembers)
        if let signal = try session.run() { Signals.raiseAgain(signal) }
    }

    /// Returns a session on an open screen. The end of the session closes the screen.
    func session(
        _ sources: [NamedSource], on screen: Screen, output: OutputPaneState? = nil, remembers: Bool = true
    ) -> Session {
        Session(sources, self, screen: screen, output: output, remembers: remembers)
    }

    /// Returns a dashboard after some actions, and after all work that takes several ticks: sorting, counting,
    /// warnings.
    ///
    /// - Parameters:
    ///   - wall: the moment that is shown, in nanoseconds since 1970.
    ///   - monotonic: the same moment by the program's clock, as in ``Action/tick(wall:monotonic:)``.
    ///   - glyphs: the glyphs to draw with; nil for the terminal's glyphs.
    func state(after actions: [Action], wall: UInt64, monotonic: UInt64, glyphs: Glyphs? = nil) -> State {
        var options = stateOptions
        options.glyphs = glyphs ?? options.glyphs
        var state = State(size: display.frame.size.size, options: options)
        for action in actions { _ = reduce(into: &state, action) }
        let tick = Action.tick(wall: wall, monotonic: monotonic)
        _ = reduce(into: &state, tick)
        // The settings are restored after the nodes were applied, because a view that was shown empty is updated only
        // in the next second, and `wall` stays the same here.
        _ = reduce(into: &state, .restore(configuredSettings.overlaid(with: flagSettings)))
        for _ in 0..<64 {
            _ = reduce(into: &state, tick)
            while state.hasWork { _ = reduce(into: &state, .work) }
        }
        return state
    }

    /// Opens the terminal's screen.
    func openScreen() throws -> Screen {
        do { return try Screen(options: screenOptions) } catch { throw Failure(screen: error) }
    }
}

extension Failure {
    /// Makes the failure for an error of the screen.
    init(screen error: ScreenError) {
        let status: ExitStatus
        switch error.reason {
        case .noTerminal, .unsuitableTerminal: status = .usage
        case .inUse: status = .defect
        case .system, .gone: status = .inputOutput
        }
        self.init(status: status, message: error.description)
    }
}
