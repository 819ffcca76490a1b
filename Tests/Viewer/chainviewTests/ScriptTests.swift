import Foundation
import TerminalHarness
import Testing

/// Commands for scripts: `ps`, `cancel` and `attach` without a terminal.
@Suite(.serialized, .onItsOwnThread) struct ScriptTests {
    private func json(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(text.utf8)) }

    private func nodes(_ place: Place, _ words: String = "shop") throws -> [[String: Any]] {
        let outcome = try place.run("ps \(words) --json")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        return try #require((try json(outcome.output) as? [String: Any])?["nodes"] as? [[String: Any]])
    }

    @Test func withoutAProgramItSuggestsWhatToTry() throws {
        let place = Place()
        for words in ["", "ps", "--headless"] {
            let outcome = try place.run(words)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(words): \(outcome)")
            for part in ["No program to attach to yet", "chainview demo", "CHAINVIEW=1", "chainview run"] {
                #expect(outcome.output.contains(part), "\(words): \(outcome)")
            }
        }
        #expect(try place.run("ps --json").output == "[]\n")
        let outcome = try place.run("attach --headless")
        #expect(outcome.status == 66 && outcome.errors.contains("no program to attach to"), "\(outcome)")
    }

    @Test func programsAreListed() throws {
        let place = Place()
        let (first, second) = (try place.probe("shop"), try place.probe("stock", "read-only"))
        try first.tell("chain order 17")
        for words in ["", "ps"] {
            let outcome = try place.run(words)
            let lines = outcome.output.split(separator: "\n")
            #expect(outcome.status == 0 && lines.count == 3 && lines[0].hasPrefix("NAME"), "\(outcome)")
            #expect(lines.contains { $0.hasPrefix("shop ") && $0.contains(" \(first.pid) ") }, "\(outcome)")
            #expect(lines.contains { $0.contains(" \(second.pid) ") && $0.hasSuffix("read-only") }, "\(outcome)")
        }
        let list = try #require(try json(try place.run("ps --json").output) as? [[String: Any]])
        let shop = try #require(list.first { $0["name"] as? String == "shop" })
        #expect(shop["pid"] as? Int32 == first.pid && shop["nodes"] as? Int == 3 && shop["live"] as? Int == 3)
        #expect(shop["target"] as? String == "\(first.pid)" && shop["isReadOnly"] as? Bool == false)
        #expect(shop["age"] as? Double ?? -1 >= 0 && shop["problem"] is NSNull)
        // With several programs, one has to be named.
        let outcome = try place.run("attach --headless")
        #expect(outcome.status == 64 && outcome.errors.contains("2 programs can be attached to"), "\(outcome)")
    }

    @Test func aTreeIsPrinted() throws {
        let place = Place()
        let probe = try place.probe()
        for number in 1...3 { try probe.tell("chain order \(number)") }
        try probe.tell("settle order 2")
        try place.run("ps shop", untilItPrints: "6 live")
        for target in ["shop", "sho", "\(probe.pid)", "unix:\(place.path)/chainview/\(probe.pid).sock"] {
            let outcome = try place.run("ps \(target)")
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(outcome.output.hasPrefix("shop \(probe.pid)  3 chains · 9 nodes · 6 live"), "\(outcome.output)")
            #expect(outcome.output.contains("pending order 1  (3 of 3 left)  main.swift:"), "\(outcome.output)")
            #expect(outcome.lineCount == 11, "\(outcome.output)")
        }
        let live = try place.run("ps shop --live --ascii").output
        #expect(!live.contains("order 2") && live.contains("order 3") && live.utf8.allSatisfy { $0 < 0x80 }, "\(live)")
        #expect(try place.run("ps shop --limit 2").output.hasSuffix("\n… 7 more (--limit 2)\n"))
        let all = try nodes(place)
        #expect(all.count == 9 && all.filter { $0["isLive"] as? Bool == true }.count == 6)
        #expect(try nodes(place, "shop --live").count == 6)
        #expect(all.filter { $0["label"] as? String == "order 2" }.first?["state"] as? String == "fulfilled")
    }

    @Test(arguments: [
        ("C.UTF-8", true), ("ca_ES.UTF-8@valencia", true), ("ca_ES.utf8@euro", true), ("de_DE@euro", false),
    ])
    func theLocaleChoosesTheCharacters(locale: String, isUnicode: Bool) throws {
        let place = Place()
        let probe = try place.probe()
        for number in 1...2 { try probe.tell("chain order \(number)") }
        let setting = place.environment.merging(["LC_ALL": locale]) { $1 }
        let outcome = try Shell.run("ps shop --limit 1", setting: setting, directory: place.path)
        #expect(outcome.output.contains(isUnicode ? "… 5 more" : "~ 5 more"), "\(outcome)")
    }

    @Test func aLargeTreeIsPrintedWhole() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("many 3000")
        #expect(try nodes(place).count == 9_000)
        let tree = try place.run("ps shop")
        #expect(tree.status == 0 && tree.lineCount == 9_002 && tree.output.contains("complain of chain 3000"))
        // Ends the pipe early.
        let gone = try place.run("ps shop | head -1")
        #expect(gone.output.hasPrefix("shop ") && !gone.errors.lowercased().contains("fatal"), "\(gone)")
    }

    @Test func cancellingReportsItsResult() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        try probe.tell("chain order 18")
        let roots = try nodes(place).filter { $0["under"] is NSNull }.compactMap { $0["id"] as? Int }
        let last = try #require(try nodes(place).last?["id"] as? Int)
        let first = try place.run("cancel shop \(roots[0])")
        #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
        #expect(first.output == "requested the cancellation of #\(roots[0]) and all under it\n")
        // A node at the end of the other chain, and that whole chain.
        let whole = try place.run("cancel \(probe.pid) '#\(last)' --chain")
        let wholeReport = "requested the cancellation of the chain of #\(last)"
        #expect(whole.status == 0 && whole.output.hasPrefix(wholeReport), "\(whole)")
        let states = try nodes(place).filter { $0["under"] is NSNull }.map { $0["state"] as? String }
        #expect(states == ["cancelled", "cancelled"])
        #expect(try nodes(place)[0]["cancelledBy"] as? String == NSUserName())
        for (words, part) in [("\(roots[0])", "nothing is pending"), ("9999999", "no node #9999999")] {
            let outcome = try place.run("cancel shop \(words)")
            #expect(outcome.status == 77 && outcome.output.isEmpty && outcome.errors.contains(part), "\(outcome)")
        }
    }

    @Test func aReadOnlyProgramRefuses() throws {
        let place = Place()
        let probe = try place.probe("stock", "read-only")
        try probe.tell("chain order 17")
        let outcome = try place.run("cancel stock 1")
        #expect(outcome.status == 77 && outcome.errors.contains("read-only"), "\(outcome)")
        #expect(try nodes(place, "stock").allSatisfy { $0["isLive"] as? Bool == true })
    }

    @Test func aPortAsksForItsToken() throws {
        let place = Place()
        let probe = try place.probe("shop", "port")
        try probe.tell("chain order 17")
        let answer = try probe.tell("where")
        let port = try #require(answer.firstMatch(of: /tcp:127\.0\.0\.1:(\d+)/)?.1)
        for words in ["ps tcp:127.0.0.1:\(port)", "attach tcp:localhost:\(port) --for 1s"] {
            let outcome = try place.run(words, untilItPrints: "order 17")
            #expect(outcome.status == 0, "\(outcome)")
        }
        let file = place.path + "/other"
        #expect(FileManager.default.createFile(atPath: file, contents: Data("guess\n".utf8)))
        for (mode, part) in [(0o600, "token"), (0o644, file)] as [(mode_t, String)] {
            #expect(chmod(file, mode) == 0)
            for command in ["ps", "attach --for 5s"] {
                let outcome = try Shell.run(
                    "\(command) tcp:127.0.0.1:\(port)",
                    setting: place.environment.merging(["CHAINVIEW_TOKEN_FILE": file]) { $1 })
                #expect(outcome.status == 77 && outcome.output.isEmpty && outcome.errors.contains(part), "\(outcome)")
            }
        }
    }

    /// With a script in place of ssh that runs the command on this machine.
    @Test func anotherMachineIsReachedOverSSH() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        let bin = place.path + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: bin + "/chainview", withDestinationPath: builtProduct("chainview"))
        let script =
            "#!/bin/sh\nwhile [ \"$1\" != build-3 ]; do shift; done\nshift\nPATH=\"\(bin):$PATH\" exec sh -c \"$*\"\n"
        try Shell.write(script, to: bin + "/ssh")
        place.setting = ["CHAINVIEW_SSH": bin + "/ssh"]
        for words in ["ps ssh:build-3/shop", "ps ssh:build-3/\(probe.pid)", "attach ssh:build-3/shop --for 1s"] {
            let outcome = try place.run(words, untilItPrints: "order 17")
            #expect(outcome.status == 0, "\(words): \(outcome)")
        }
        #expect(try place.run("cancel ssh:build-3/shop 1").status == 0)
        let outcome = try place.run("ps ssh:build-3/nobody")
        #expect(outcome.status == 66 && outcome.errors.contains("nobody"), "\(outcome)")
    }

    @Test func aProgramIsReachedByACommandThatRelays() throws {
        let place = Place()
        let probe = try place.probe("it's a shop")
        try probe.tell("chain order 17")
        let relay = "\(builtProduct("chainview")) relay"
        // Without a target the relay finds the only program.
        for command in [relay, "sh -c '\(relay) \(probe.pid)'", "\(relay) it\\'s"] {
            for words in ["ps", "attach --for 1s"] {
                let outcome = try place.run("\(words) \"exec:\(command)\"", untilItPrints: "order 17")
                #expect(outcome.status == 0, "\(words): \(outcome)")
            }
        }
        // A line after that of chainview, as kubectl writes it.
        let script = "\(relay) nobody; code=$?; echo exit code $code >&2; exit $code"
        let outcome = try place.run("ps \"exec:sh -c '\(script.replacing("$", with: "\\$"))'\"")
        #expect(outcome.status == 66 && outcome.errors.contains("no program named nobody"), "\(outcome)")
        let second = try place.probe("second")
        let several = try place.run("ps \"exec:\(relay)\"")
        #expect(several.status == 64 && several.errors.contains("2 programs can be attached to"), "\(several)")
        withExtendedLifetime(second) {}
    }

    @Test func aFolderThatOthersCanOpenIsNotTrusted() throws {
        let place = Place()
        let probe = try place.probe()
        let folder = place.path + "/chainview"
        #expect(chmod(folder, 0o755) == 0)
        for words in ["ps", "", "ps shop", "ps \(probe.pid)", "cancel shop 1", "attach shop --for 5s"] {
            let outcome = try place.run(words)
            #expect(outcome.status == 77 && outcome.output.isEmpty && outcome.errors.contains(folder), "\(outcome)")
        }
        let viewer = try place.view(waits: false)
        try viewer.wait("the reason") { $0.isAlternate && $0.contains(folder) }
        #expect(chmod(folder, 0o700) == 0)
        try viewer.see("1 program to attach to")
        try viewer.quit()
    }

    @Test func aStoppedProgramIsReportedAsSilent() throws {
        let place = Place()
        let probe = try place.probe()
        kill(probe.pid, SIGSTOP)
        defer { kill(probe.pid, SIGCONT) }
        let list = try #require(try json(try place.run("ps --json").output) as? [[String: Any]])
        #expect(list.count == 1 && list[0]["pid"] as? Int32 == probe.pid && list[0]["problem"] is String)
        #expect(try place.run("ps").output.contains("\(probe.pid)"))
        for words in ["ps \(probe.pid)", "cancel \(probe.pid) 1", "attach \(probe.pid) --for 1s"] {
            let outcome = try place.run(words)
            #expect(outcome.status == 69 && outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
        }
    }

    @Test(arguments: ["ps", "cancel", "attach --headless --for 5s"])
    func aMissingProgramIsOneSentence(command: String) throws {
        let place = Place()
        let probe = try place.probe()
        let node = command == "cancel" ? " 1" : ""
        let other = try place.probe("shop")
        for (target, status) in [("nobody", 66), ("999999", 66), ("unix:/tmp/no-such.sock", 66), ("shop", 64)] {
            let outcome = try place.run("\(command) \(target)\(node)")
            #expect(outcome.status == status && outcome.output.isEmpty, "\(target): \(outcome)")
            #expect(outcome.errors.hasPrefix("chainview: ") && outcome.errors.filter { $0 == "\n" }.count == 1)
        }
        probe.end(by: SIGKILL)
        other.end(by: SIGKILL)
        let outcome = try place.run("\(command) \(probe.pid)\(node)")
        #expect(outcome.status == 66 || outcome.status == 69, "\(outcome)")
    }

    @Test func aFrameIsPrintedWhereThereIsNoTerminal() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        for words in ["attach --for 1s", "attach shop --for 1s", "attach \(probe.pid) --for 1s --read-only"] {
            let outcome = try place.run(words, untilItPrints: "order 17")
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(outcome.output.contains("shop \(probe.pid)"), "\(outcome)")
        }
    }

    @Test func hostileTextsAreNeverRaw() throws {
        let place = Place()
        let probe = try place.probe("shop\u{1B}[31m\u{9B}2J")
        try probe.tell("hostile")
        let target = "\(probe.pid)"
        for words in ["ps", "ps --json", "ps \(target)", "ps \(target) --json", "attach \(target) --for 1s"] {
            let outcome = try place.run(words)
            #expect(outcome.status == 0, "\(words): \(outcome)")
            for scalar in outcome.output.unicodeScalars where scalar != "\n" {
                let category = scalar.properties.generalCategory
                #expect(category != .control && category != .format, "\(words): U+\(String(scalar.value, radix: 16))")
            }
            if words.contains("json") { _ = try json(outcome.output) }
        }
        let node = try #require(try nodes(place, target).first)
        let label = try #require(node["label"] as? String)
        #expect(label.hasPrefix("begin \u{0}\u{1}") && label.contains("\u{1B}]0;owned\u{7}") && label.hasSuffix("end"))
        // Messages escape the name, too.
        let unknown = try place.run("ps \"$(printf 'no\\033[31mbody')\"")
        #expect(unknown.status == 66 && !unknown.errors.contains("\u{1B}"), "\(unknown)")
    }
}

// SPDX-License-Identifier: MIT
