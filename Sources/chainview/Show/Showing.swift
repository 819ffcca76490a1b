import ChainSource
import Dashboard
import Terminal

extension Settings {
    /// Shows sources in the way that was asked for, until that is over; ends with the signal that ended it, if one did.
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

    /// Shows sources on an open screen, which is closed then.
    func show(_ sources: [NamedSource], on screen: Screen, remembers: Bool = true) throws {
        let session = session(sources, on: screen, remembers: remembers)
        if let signal = try session.run() { Signals.raiseAgain(signal) }
    }

    /// A dashboard on an open screen, which is closed when it ends.
    func session(
        _ sources: [NamedSource], on screen: Screen, output: ShownOutput? = nil, remembers: Bool = true
    ) -> Session {
        Session(sources, self, screen: screen, output: output, remembers: remembers)
    }

    /// Takes the terminal, or says why that is not possible.
    func openScreen() throws -> Screen {
        do { return try Screen(options: screenOptions) } catch { throw Failure(screen: error) }
    }
}

extension Failure {
    /// Says what a screen could not do.
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
