import ArgumentParser
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// The manual page and the completions hold everything that the argument parser knows.
@Suite(.serialized, .onItsOwnThread) struct ManualTests {
    /// Runs a program; returns nil if it is not installed.
    private func run(_ program: String, _ arguments: [String], input: String) throws -> Outcome? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") })
        else { return nil }
        let place = Place()
        let file = place.path + "/input"
        try input.write(toFile: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "\(folder)/\(program)")
        process.arguments = arguments + [file]
        process.environment = PseudoTerminal.standardEnvironment.merging(["MANWIDTH": "100"]) { $1 }
        let (output, errors) = (place.path + "/output", place.path + "/errors")
        for path in [output, errors] { try "".write(toFile: path, atomically: true, encoding: .utf8) }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }

    /// Returns the names of all options and flags below a command.
    private func names(_ command: ToolInfo.Command) -> Set<String> {
        Set(command.shown.flatMap { ($0.names ?? []).map(\.dashed) }).union(
            command.commands.flatMap { Array(names($0)) })
    }

    @Test func itHasEveryCommandOptionAndTable() throws {
        let outcome = try Shell.run("man")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        var plain = outcome.output
        for (name, letter) in [
            ("-", "-"), ("(ga", "`"), ("(aq", "'"), ("(ha", "^"), ("(ti", "~"), ("(dq", "\""), ("&", ""), ("e", "\\"),
        ] { plain = plain.replacing("\\" + name, with: letter) }
        #expect(!plain.contains("man -l"), "macOS has no such option")
        let manual = try ToolInfo.read().command
        let commands = manual.commands.map(\.commandName)
        #expect(
            commands == [
                "attach", "run", "record", "replay", "post-mortem", "export", "ps", "snapshot", "events", "watch",
                "diff",
                "cancel", "demo", "config", "flags", "man",
            ])
        for name in commands { #expect(plain.contains(".SS \"chainview \(name)\"\n")) }
        let options = names(manual)
        #expect(
            options.isSuperset(of: [
                "--headless", "--theme", "-W", "-A", "--wait", "--where", "--print-default", "--for",
            ]))
        for name in options { #expect(plain.contains("\\fB\(name)\\fR"), "\(name)") }
        let ofRoot = Set(manual.shown.flatMap { ($0.names ?? []).map(\.dashed) })
        for command in manual.commands {
            let start = try #require(plain.range(of: ".SS \"chainview \(command.commandName)\"\n")).upperBound
            let rest = plain[start...]
            let end = rest.range(of: "\n.S")?.lowerBound ?? rest.endIndex
            let section = String(rest[..<end]) + "\n"
            for name in names(command).subtracting(ofRoot) where !section.contains("The options above apply, too.\n") {
                #expect(section.contains("\\fB\(name)\\fR"), "\(command.commandName) \(name)")
            }
        }
        for chapter in Reference.all {
            #expect(plain.contains(".SH \(chapter.heading)\n"))
            for row in chapter.tables.flatMap(\.rows) {
                #expect(plain.contains("\\fB\(row.term)\\fR\n\(row.text)\n"), "\(row)")
            }
        }
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS"] {
            #expect(plain.contains(".SH \(section)\n"))
        }
        // No text is taken for a request.
        let requests = Set(outcome.output.matches(of: /(?m)^([.'][A-Za-z]*)/).map { String($0.1) })
        #expect(
            requests.isSubset(of: [
                ".TH", ".nh", ".ad", ".SH", ".SS", ".SY", ".YS", ".PP", ".TP", ".nf", ".fi", ".RS", ".RE",
            ]))
    }

    @Test func theProgramsThatReadItFindNothingWrong() throws {
        let page = try Shell.run("man").output
        #if os(Linux)  // The man of macOS lacks these options.
            if let man = try run("man", ["--warnings", "-E", "UTF-8"], input: page) {
                #expect(man.status == 0 && man.errors.isEmpty, "\(man.errors)")
                #expect(man.output.contains("chainview ps [options] [target]") && man.output.contains("Ctrl") == false)
            }
        #endif
        if let lint = try run("mandoc", ["-T", "lint", "-W", "warning"], input: page) {
            #expect(lint.status == 0, "\(lint.output)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func shellsReadTheCompletions(_ shell: String) throws {
        let script = try Shell.run("--generate-completion-script \(shell)")
        #expect(script.status == 0 && script.errors.isEmpty)
        for word in ["attach", "theme", "high-contrast", "never-settled", "checkout", "print-default", "timeline"] {
            #expect(script.output.contains(word), "\(word)")
        }
        if let read = try run(shell, ["-n"], input: script.output) { #expect(read.status == 0, "\(read.errors)") }
    }

    @Test func bashCompletesTargetsDemosAndNames() throws {
        let place = Place()
        let (shop, stock) = (try place.probe("shop"), try place.probe("stock"))
        for (words, wanted) in [
            ("attach ''", ["\(shop.pid)", "\(stock.pid)", "shop", "stock"]), ("ps st", ["stock"]),
            ("cancel sh", ["shop"]),
            ("demo ch", ["checkout"]), ("demo --theme hi", ["high-contrast"]), ("attach -W deep", ["deep-chain"]),
            ("attach --view ti", ["timeline"]), ("conf", ["config"]), ("config --pri", ["--print-default"]),
        ] {
            let parts = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
            let line = (["chainview"] + parts).joined(separator: " ")
            let script = """
                chainview() { "$CHAINVIEW" "$@"; }
                eval "$("$CHAINVIEW" --generate-completion-script bash)"
                COMP_LINE="\(line)"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
                COMP_WORDS=(chainview \(parts.map { "\"\($0)\"" }.joined(separator: " "))); COMP_CWORD=\(parts.count)
                f=$(complete -p chainview | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
                "$f" chainview "\(parts.last ?? "")" "\(parts.count > 1 ? parts[parts.count - 2] : "chainview")"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", script]
            process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
                .merging(["CHAINVIEW": builtProduct("chainview")]) { $1 }
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let found = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
            #expect(found == wanted.sorted(), "\(words): \(text)")
        }
    }

    @Test func namesThatAShellWouldHaveToQuoteAreLeftOut() {
        let words = Completions.words([
            ("1", "shop"), ("2", "a b"), ("3", "$(rm)"), ("4", "twice"), ("5", "twice"), ("6", nil), ("7", "-x"),
            ("8", ""),
        ])
        #expect(words == ["1", "2", "3", "4", "5", "6", "7", "8", "shop"])
    }
}

// SPDX-License-Identifier: MIT
