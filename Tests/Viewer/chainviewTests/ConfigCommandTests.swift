import Dashboard
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// `chainview config`, and the configuration of a dashboard, as real processes.
@Suite(.serialized, .onItsOwnThread) struct ConfigCommandTests {
    private func write(_ text: String, in place: Place, name: String = "config/chainview/config.toml") throws {
        let file = URL(fileURLWithPath: place.path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    @Test func theDefaultIsPrintedAndIsRight() throws {
        let place = Place()
        let path = place.path + "/config/chainview/config.toml"
        #expect(try place.run("config --path").output == path + "\n")
        #expect(try place.run("config --check").output == "There is no \(path): the defaults apply.\n")
        let printed = try place.run("config --print-default")
        #expect(printed.status == 0 && printed.output == ConfigKey.defaultFile)
        try write(printed.output, in: place)
        let checked = try place.run("config --check")
        #expect(checked.status == 0 && checked.output == "\(path): no errors.\n" && checked.errors.isEmpty)
    }

    /// The commands of the help work although the folder does not exist.
    @Test func theCommandsOfTheHelpWork() throws {
        let place = Place()
        let lines = try place.run("config --help").output.split(separator: "\n")
        let advice = lines.filter { $0.hasPrefix("  ") && $0.contains("chainview config --p") }
        #expect(advice.count == 2)
        // Run by a shell, in which $0 is chainview.
        let script = advice.joined(separator: "\n").replacing("chainview config", with: "\"$0\" config")
        let outcome = try place.run("--version\n" + script)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(try place.run("config --check").output.hasSuffix(": no errors.\n"))
    }

    @Test func eachMistakeIsALine() throws {
        let place = Place()
        try write("thme = 1\n\nrefresh-rate = \"\\u001B[31mfast\"\n", in: place, name: "bad.toml")
        let outcome = try place.run("config --check bad.toml")
        #expect(outcome.status == 65 && outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                chainview: bad.toml:1: there is no key "thme": did you mean theme?
                chainview: bad.toml:3: refresh-rate is a whole number from 1 to 60, not "\\u001B[31mfast".

                """)
        try write("theme = \"light\"\n\0thme = 1\n", in: place, name: "zero.toml")
        for (words, status, part) in [
            ("config --check zero.toml", 65, "zero.toml is not text"),
            ("config --check none.toml", 66, "there is no file none.toml"),
            ("config --check .", 65, ". is not a file."),
            ("config", 64, "one of --print-default, --path and --check"), ("config --path --check", 64, "give one of"),
            ("config --path x", 64, "only with --check"), ("demo --config none.toml --for 100ms", 66, "none.toml"),
            ("demo --config a --no-config", 64, "exclude each other"),
            ("demo -W nope", 64, "one of the following: all, never-settled, abandoned"),
            ("demo --theme mauve", 64, "auto, dark, light, high-contrast, color-blind, terminal"),
            ("demo --view rows", 64, "chains, threads, timeline, sites, warnings, events"),
            ("demo -A lost-events -W lost-events", 64, "both given for lost-events"),
        ] {
            let outcome = try place.run(words)
            #expect(outcome.status == status && outcome.errors.contains(part), "\(words): \(outcome)")
            #expect(outcome.errors.hasPrefix("chainview: ") && outcome.lineCount == 0, "\(words): \(outcome)")
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(words): \(outcome)")
        }
        let nowhere = try Shell.run("config --path", setting: ["HOME": "", "XDG_CONFIG_HOME": ""])
        #expect(nowhere.status == 66 && nowhere.errors.contains("set HOME or XDG_CONFIG_HOME"), "\(nowhere)")
    }

    @Test func aFileIsReadAtTheStartAndItsMistakesReported() throws {
        let place = Place()
        try write("ascii = true\nthme = 1\ntheme = \"light\"\nview = \"events\"\n", in: place)
        let outcome = try place.run("demo stuck --for 300ms")
        #expect(outcome.status == 0 && outcome.output.utf8.allSatisfy { $0 < 0x80 }, "\(outcome)")
        #expect(outcome.errors.hasSuffix("config.toml:2: there is no key \"thme\": did you mean theme?\n"))
        let other = try place.run("demo stuck --for 300ms --no-config")
        #expect(other.errors.isEmpty && other.output.utf8.contains { $0 >= 0x80 }, "\(other)")

        // Also on the screen: the error on the status line, and the theme of the file.
        let viewer = try place.view("demo", "stuck", "--view", "chains", columns: 200, waits: false)
        try viewer.see("did you mean theme?")
        try viewer.see("answer from")
        #expect(viewer.screen.cell(5, 100).background != nil && viewer.screen.cell(39, 199).background != nil)
        viewer.type("q")
        #expect(try viewer.terminal.waitForExit() == .exited(0))
        #expect(!String(decoding: viewer.terminal.received, as: UTF8.self).contains("48;5;237"))
    }

    @Test func theRefreshRateChanges() throws {
        let place = Place()
        try write("refresh-rate = 20\n", in: place)
        let viewer = try place.view("demo", "stuck")
        viewer.type(":rate 1\r")
        try viewer.see("at most 1 frame a second")
        // Typed keys are drawn at once all the same.
        viewer.type("j")
        try viewer.wait("row 4") { _ in viewer.selectedRow == 4 }
        try viewer.quit()
    }
}

/// Settings that are saved from session to session.
@Suite(.serialized, .onItsOwnThread) struct RememberTests {
    private func file(_ place: Place) -> String { place.path + "/state/chainview/shop.toml" }
    private func text(_ place: Place) -> String? { try? String(contentsOfFile: file(place), encoding: .utf8) }

    @Test func settingsAreRestoredInTheNextSession() throws {
        let place = Place()
        let shop = try place.probe()
        for name in ["order 17", "order 18"] { try shop.tell("chain \(name)") }
        let viewer = try place.view("attach", "shop")
        try viewer.see("order 18")
        viewer.type("/order 18")
        viewer.press(.enter)
        try viewer.wait("the filter") { !$0.contains("order 17") && $0.contains("order 18") }
        viewer.press(.enter)
        try viewer.see("made")
        viewer.type(":rate 20\r")
        try viewer.see("at most 20 frames a second")
        try viewer.quit()
        #expect(
            text(place) == """
                # Settings made in chainview for "shop"; delete this file to reset them.
                detail = "open"
                filter = "order 18"
                refresh-rate = 20

                """, "\(text(place) ?? "no file")")
        let attributes = try FileManager.default.attributesOfItem(atPath: file(place))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folder = try FileManager.default.contentsOfDirectory(atPath: place.path + "/state/chainview")
        #expect(folder == ["shop.toml"])

        let again = try place.view("attach", "shop", waits: false)
        try again.wait("the filter and the details") {
            !$0.contains("order 17") && $0.contains("order 18") && $0.contains("made")
        }
        again.type(":rate 15\r")
        try again.see("at most 15 frames a second")
        again.press(.escape)
        try again.see("order 17")
        try again.quit()
        #expect(text(place)?.contains("refresh-rate = 15") == true && text(place)?.contains("filter") == false)

        // --fresh ignores the saved settings, and does not change them.
        let before = text(place)
        for flag in ["--fresh", "--no-config"] {
            let fresh = try place.view("attach", "shop", flag)
            fresh.type(":rate 20\r")
            try fresh.see("at most 20 frames a second")
            try fresh.quit()
            #expect(text(place) == before)
        }
        try place.run("attach shop --headless --for 300ms", untilItPrints: "order 17")
        #expect(text(place) == before)
    }

    @Test func aBrokenFileIsReportedAndRewritten() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        try FileManager.default.createDirectory(
            atPath: place.path + "/state/chainview", withIntermediateDirectories: true)
        try "view = [".write(toFile: file(place), atomically: true, encoding: .utf8)
        let viewer = try place.view("attach", "shop", columns: 160, waits: false)
        try viewer.see("is not valid TOML: it is ignored")
        try viewer.see("order 17")
        viewer.type(":rate 20\r")
        try viewer.see("at most 20 frames a second")
        try viewer.quit()
        #expect(text(place)?.hasSuffix("\nrefresh-rate = 20\n") == true)
    }

    @Test func aDemoSavesNothingAndAFolderThatCannotBeMadeDoesNoHarm() throws {
        let place = Place()
        let viewer = try place.view("demo", "stuck")
        viewer.type(":rate 20\r")
        try viewer.see("at most 20 frames a second")
        try viewer.quit()
        #expect(!FileManager.default.fileExists(atPath: place.path + "/state"))
        let shop = try place.probe()
        try shop.tell("chain order 17")
        try "a file".write(toFile: place.path + "/state", atomically: true, encoding: .utf8)
        let other = try place.view("attach", "shop")
        other.type(":rate 20\r")
        try other.see("at most 20 frames a second")
        other.type("q")
        #expect(try other.terminal.waitForExit() == .exited(0))
        #expect(other.text.contains("the settings are not saved: "), "\(other.text)")
    }

    @Test func namesOfProgramsAreNamesOfFiles() {
        let store = SettingsStore(folder: "/s", configuredSettings: ViewSettings(), flagSettings: ViewSettings())
        for (names, path) in [
            (["shop"], "shop"), (["b", "a", "b"], "a+b"), (["../../etc/x"], "%2e.%2f..%2fetc%2fx"), ([""], "%unnamed"),
            ([".hidden"], "%2ehidden"), (["ü\n"], "%c3%bc%0a"), (["a.b_c-d"], "a.b_c-d"),
            (["a+b"], "a%2bb"), (["b", "a+"], "a%2b+b"), (["\u{1}0"], "%010"), (["\u{10}"], "%10"),
            (["unnamed"], "unnamed"),
        ] { #expect(store.path(for: names) == "/s/\(path).toml", "\(names)") }
        let long = [1, 2].map { store.path(for: [String(repeating: "x", count: 5_000) + "\($0)"]) }
        #expect(long[0] != long[1] && long[0].utf8.count < 200)
        let (first, second) = (String(repeating: "x", count: 140), String(repeating: "y", count: 140))
        #expect(store.path(for: ["\(first)+\(second)"]) != store.path(for: [first, second]))
    }
}

// SPDX-License-Identifier: MIT
