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
        var screenOptions = ScreenOptions()
        if isColorless { screenOptions.colorLimit = .none }
        let session = try Session(sources, options: stateOptions, screenOptions: screenOptions)
        if let signal = try session.run() { Signals.raiseAgain(signal) }
    }

    private var stateOptions: State.Options {
        let isASCII = ascii || (!isHeadless && Screen.localeCharset == .ascii) || (isHeadless && isASCIILocale)
        return State.Options(
            glyphs: isASCII ? .ascii : .unicode, isReadOnly: isReadOnly,
            clockOffset: TimeZone.current.secondsFromGMT(), actor: NSUserName().isEmpty ? "viewer" : NSUserName())
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
