import ChainEvents
import ChainSource
import Dashboard
import Foundation
import Frames
import Terminal

extension DisplayOptions {
    /// Shows sources in the way that was asked for, until that is over; ends with the signal that ended it, if one did.
    func show(_ sources: [NamedSource]) throws {
        guard !isHeadless else {
            return try Headless(duration: duration.duration, size: size.size).run(sources, options: stateOptions)
        }
        try show(sources, on: openScreen())
    }

    /// Shows sources on an open screen, which is closed then.
    func show(_ sources: [NamedSource], on screen: Screen) throws {
        let session = Session(sources, options: stateOptions, screen: screen, screenOptions: screenOptions)
        if let signal = try session.run() { Signals.raiseAgain(signal) }
    }

    /// Takes the terminal, or says why that is not possible.
    func openScreen() throws -> Screen {
        do { return try Screen(options: screenOptions) } catch { throw Failure(screen: error) }
    }

    /// What a screen is opened with.
    var screenOptions: ScreenOptions {
        var options = ScreenOptions()
        if isColorless { options.colorLimit = .none }
        return options
    }

    /// What a dashboard is told at its start.
    var stateOptions: State.Options {
        State.Options(
            glyphs: glyphs, isReadOnly: isReadOnly, clockOffset: TimeZone.current.secondsFromGMT(), actor: Self.viewer)
    }

    /// The signs that can be drawn.
    var glyphs: Glyphs {
        let isASCII = ascii || (!isHeadless && Screen.localeCharset == .ascii) || (isHeadless && Self.isASCIILocale)
        return isASCII ? .ascii : .unicode
    }

    /// Who is looking, as programs are told.
    static var viewer: String { NSUserName().isEmpty ? "viewer" : NSUserName() }
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
