import ChainEvents
import Dashboard
import Foundation
import Frames
import Terminal

/// All that was chosen, put together: the defaults, over them the configuration file, over it the flags. The environment
/// says what suits the terminal; only what a terminal cannot show, or `NO_COLOR` forbids, goes before what was chosen.
struct Settings {
    let display: DisplayOptions
    let configuration: Configuration
    /// What is wrong with the file, a sentence each.
    let problems: [ConfigProblem]
    let folders: Folders
    /// Whether there is no terminal; asked before one is opened, for the screen takes standard output's place.
    let isHeadless: Bool

    /// Reads the file that is meant; throws where one was named that is not there.
    init(_ display: DisplayOptions, folders: Folders = Folders()) throws {
        self.display = display
        self.folders = folders
        isHeadless = display.isHeadless
        let file = try ConfigFile(display, folders)
        configuration = file.configuration
        problems = file.problems
    }

    private func variable(_ name: String) -> String? { folders.environment(name).flatMap { $0.isEmpty ? nil : $0 } }

    var isReadOnly: Bool { display.isReadOnly || configuration.isReadOnly }

    /// Whether colours are unwanted (https://no-color.org: set, and not empty).
    var isColorless: Bool { display.noColor || variable("NO_COLOR") != nil }

    /// The colours.
    var theme: Theme {
        if let named = display.theme { return named.theme ?? suitable }
        return configuration.theme ?? suitable
    }

    /// Light where the terminal said that its background is: `$COLORFGBG` is `FOREGROUND;BACKGROUND`, by numbers of the 16.
    private var suitable: Theme {
        let background = variable("COLORFGBG")?.split(separator: ";").last.flatMap { Int($0) }
        return background.map { $0 == 7 || (9...15).contains($0) } == true ? .light : .dark
    }

    /// The signs that can be drawn.
    var glyphs: Glyphs {
        let isNeeded = isHeadless ? DisplayOptions.isASCIILocale : Screen.localeCharset == .ascii
        return display.ascii || configuration.isASCII || isNeeded ? .ascii : .unicode
    }

    /// What a screen is opened with.
    var screenOptions: ScreenOptions {
        var options = ScreenOptions()
        if isColorless { options.colorLimit = .none }
        return options
    }

    /// What a dashboard is told at its start.
    var stateOptions: State.Options {
        var warnings = configuration.warnings
        warnings.apply(warn: display.warn, allow: display.allow)
        return State.Options(
            theme: theme, glyphs: glyphs, isReadOnly: isReadOnly, clockOffset: TimeZone.current.secondsFromGMT(),
            actor: DisplayOptions.viewer, limits: configuration.limits, refreshRate: configuration.refreshRate,
            warnings: warnings, savedQueries: configuration.queries)
    }

    /// How things are shown at first, by the file alone.
    var base: ViewSettings {
        var base = State(size: display.size.size).remembered
        base.view = configuration.view
        base.detail = configuration.detail
        base.order = configuration.order
        base.theme = (configuration.theme ?? suitable).name
        base.refreshRate = configuration.refreshRate
        return base
    }

    /// What flags say of that; they count more than what is remembered.
    var demanded: ViewSettings {
        var demanded = ViewSettings()
        demanded.view = display.view?.view
        if display.theme != nil { demanded.theme = theme.name }
        return demanded
    }

    /// What is remembered from session to session; nil where nothing is to be.
    var memory: Memory? {
        guard !isHeadless, !display.noConfig, !display.fresh else { return nil }
        return folders.state.map { Memory(folder: $0, base: base, demanded: demanded) }
    }
}

extension DisplayOptions {
    /// Puts together what was chosen, and says on standard error what is wrong with the configuration file.
    func settings() throws -> Settings {
        let settings = try Settings(self)
        for problem in settings.problems { Streams.complain("\(problem)") }
        return settings
    }

    /// Who is looking, as programs are told.
    static var viewer: String { NSUserName().isEmpty ? "viewer" : NSUserName() }
}

extension ConfigFile {
    /// The user's file, as far as it can be read: for commands that take no configuration of their own.
    static func saved(_ folders: Folders) -> ConfigFile {
        guard let path = folders.configuration, let text = try? SmallFile.read(path) else { return .none }
        return ConfigFile(text, file: path)
    }

    /// The file that is meant: the one that was named, the user's own, or none.
    init(_ display: DisplayOptions, _ folders: Folders) throws {
        guard !display.noConfig, let path = display.configFile ?? folders.configuration else {
            self = .none
            return
        }
        do throws(SmallFile.Trouble) {
            self.init(try SmallFile.read(path), file: path)
        } catch {
            self = .none
            switch error {
            case .missing:
                guard display.configFile == nil else { throw Failure(missing: path) }
            case .unreadable(let words): problems = [ConfigProblem(file: path, line: nil, message: words + ".")]
            }
        }
    }
}

extension Failure {
    /// Says that a configuration file is not there.
    init(missing path: String) {
        self.init(
            status: .noInput,
            message: "there is no file \(path): `chainview config --print-default` prints one to begin with.")
    }
}
