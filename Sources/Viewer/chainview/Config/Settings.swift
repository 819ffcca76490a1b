// SPDX-License-Identifier: MIT

import Dashboard
import Foundation
import Frames
import Terminal

/// The settings of one command. The configuration file overrides the defaults, and flags override both. The limits of
/// the terminal, and `NO_COLOR`, override all three.
struct Settings {
    let display: DisplayOptions
    let configuration: Configuration
    /// The errors of the configuration file.
    let problems: [ConfigProblem]
    let folders: Folders
    /// Whether to run without a screen. Computed once, because an open screen replaces standard output.
    let isHeadless: Bool
    /// Seconds to add to UTC for times of day.
    var clockOffset = WallClock.offset()
    /// The line below the rows of a dashboard, for demos.
    var caption: State.Caption?
    /// Whether chains are grouped by call site at first.
    var isGrouped = false

    /// Reads the configuration file.
    ///
    /// - Throws: ``Failure`` if the file that `--config` names does not exist.
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

    /// Whether to use no colours (https://no-color.org: set, and not empty).
    var isColorless: Bool { display.noColor || variable("NO_COLOR") != nil }

    var theme: Theme {
        if let named = display.frame.theme { return named.theme ?? suitable }
        return configuration.theme ?? suitable
    }

    /// The theme for the terminal's background: `$COLORFGBG` is `FOREGROUND;BACKGROUND`, numbers of the 16 colours.
    private var suitable: Theme {
        let background = variable("COLORFGBG")?.split(separator: ";").last.flatMap { Int($0) }
        return background.map { $0 == 7 || (9...15).contains($0) } == true ? .light : .dark
    }

    /// The glyphs that the terminal can draw.
    var glyphs: Glyphs {
        let isNeeded =
            isHeadless
            ? DisplayOptions.isASCIIOutput
            : Screen.localeCharset == .ascii || DisplayOptions.isLinuxConsole(variable("TERM"))
        return display.frame.ascii || configuration.isASCII || isNeeded ? .ascii : .unicode
    }

    var screenOptions: ScreenOptions {
        var options = ScreenOptions()
        if isColorless { options.colorLimit = .none }
        return options
    }

    /// The options of a new dashboard.
    var stateOptions: State.Options {
        var warnings = configuration.warnings
        warnings.apply(warn: display.frame.warn, allow: display.frame.allow)
        var options = State.Options(
            theme: theme, glyphs: glyphs, isReadOnly: isReadOnly, clockOffset: clockOffset,
            actor: DisplayOptions.viewer, limits: configuration.limits, refreshRate: configuration.refreshRate,
            warnings: warnings, savedQueries: configuration.queries, unimportant: configuration.unimportant,
            keepsHistory: configuration.historyMemory > 0)
        options.isCopyCertain = TmuxBuffer.isInTmux
        options.caption = isHeadless ? nil : caption
        return options
    }

    /// The view settings from the configuration file alone, without flags and saved settings.
    var configuredSettings: ViewSettings {
        var settings = State(size: display.frame.size.size).viewSettings
        settings.view = configuration.view
        settings.detail = configuration.detail
        settings.order = configuration.order
        settings.columns = configuration.columns
        settings.theme = (configuration.theme ?? suitable).name
        settings.refreshRate = configuration.refreshRate
        return settings
    }

    /// The view settings from flags, which override saved settings.
    var flagSettings: ViewSettings {
        var settings = ViewSettings()
        settings.view = display.frame.view?.view
        if display.frame.theme != nil { settings.theme = theme.name }
        if isGrouped {
            settings.order = configuration.order
            settings.order?.isGrouped = true
        }
        return settings
    }

    /// The store of saved settings; nil if no settings are to be loaded or saved.
    var store: SettingsStore? {
        guard !isHeadless, !display.frame.noConfig, !display.fresh else { return nil }
        return folders.state.map {
            SettingsStore(folder: $0, configuredSettings: configuredSettings, flagSettings: flagSettings)
        }
    }
}

extension DisplayOptions {
    /// Returns the settings, and prints the errors of the configuration file on standard error.
    func settings() throws -> Settings {
        let settings = try Settings(self)
        for problem in settings.problems { Streams.printError("\(problem)") }
        return settings
    }

    /// The name of this viewer, which programs show as the canceller.
    static var viewer: String { NSUserName().isEmpty ? "viewer" : NSUserName() }
}

extension ConfigFile {
    /// Returns the settings of the user's own file, for commands without `--config`. If the file cannot be read,
    /// returns ``none``.
    static func saved(_ folders: Folders) -> ConfigFile {
        guard let path = folders.configuration, let text = try? SmallFile.read(path) else { return .none }
        return ConfigFile(text, file: path)
    }

    /// Reads the file that `--config` names, or without `--config` the user's own file. Reads no file with
    /// `--no-config`.
    init(_ display: DisplayOptions, _ folders: Folders) throws {
        guard !display.frame.noConfig, let path = display.frame.configFile ?? folders.configuration else {
            self = .none
            return
        }
        do throws(SmallFile.Problem) {
            self.init(try SmallFile.read(path), file: path)
        } catch {
            self = .none
            switch error {
            case .missing:
                guard display.frame.configFile == nil else { throw Failure(missing: path) }
            case .unreadable(let words): problems = [ConfigProblem(file: path, line: nil, message: words + ".")]
            }
        }
    }
}

extension Failure {
    /// Makes the failure for a configuration file that does not exist.
    init(missing path: String) {
        self.init(
            status: .noInput,
            message: "there is no file \(path). Run `chainview config --print-default` for one to start with.")
    }
}
