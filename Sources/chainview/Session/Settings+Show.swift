import ChainSource
import Dashboard
import Terminal

extension Settings {
    /// Shows sources, with or without a screen, until the end. Raises the signal again that ended the session, if any.
    func show(_ sources: [NamedSource], remembers: Bool = true) throws {
        guard !isHeadless else {
            return try Headless(
                duration: display.duration.duration, size: display.size.size,
                printsStatistics: display.printsStatistics
            )
            .run(sources, options: stateOptions, showing: base.overlaid(with: demanded))
        }
        try show(sources, on: openScreen(), remembers: remembers)
    }

    /// Shows sources on an open screen, and closes it.
    func show(_ sources: [NamedSource], on screen: Screen, remembers: Bool = true) throws {
        let session = session(sources, on: screen, remembers: remembers)
        if let signal = try session.run() { Signals.raiseAgain(signal) }
    }

    /// Returns a session on an open screen. Its end closes the screen.
    func session(
        _ sources: [NamedSource], on screen: Screen, output: ShownOutput? = nil, remembers: Bool = true
    ) -> Session {
        Session(sources, self, screen: screen, output: output, remembers: remembers)
    }

    /// Opens the terminal's screen.
    func openScreen() throws -> Screen {
        do { return try Screen(options: screenOptions) } catch { throw Failure(screen: error) }
    }
}

extension Failure {
    /// The failure of a screen.
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
