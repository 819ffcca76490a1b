import ArgumentParser
import Foundation
import Frames
import TerminalHarness
import Testing

@testable import ChainAttach
@testable import chainview

/// The commands in the README and in the articles are valid and work.
@Suite(.serialized, .onItsOwnThread) struct ArticleCommandTests {
    /// The texts of the README and the articles.
    private let text: String
    /// The README of the demo server.
    private let serverReadme: String

    init() throws {
        text = try Articles.all.map(Articles.text).joined(separator: "\n")
        serverReadme = try Articles.text(Articles.root.appending(path: "demos/server/README.md"))
    }

    /// The arguments after `chainview` in code spans, and in lines of code up to the explanation.
    private var commands: Set<String> {
        // Line by line, because patterns are slow.
        let lines = text.split(separator: "\n").filter { $0.contains("chainview") }
        return Set(
            lines.flatMap { line in
                guard let code = line.wholeMatch(of: /^ {4}(?:sudo )?chainview(.*)/)?.1 else {
                    return line.matches(of: /`(?:sudo )?chainview ?([^`]*)`/).map { String($0.1) }
                }
                let typed = code.components(separatedBy: "  ")[0].components(separatedBy: " > ")[0]
                return [typed.trimmingCharacters(in: .whitespaces)]
            })
    }

    /// Words in place of which a user writes a name, and an example of it.
    private static let placeholders = ["PID": "4242", "TARGET": "shop", "FILE": "crash.chain"]

    @Test func eachCommandIsUnderstood() throws {
        let commands = commands
        #expect(commands.count > 40 && commands.contains("attach shop") && commands.contains("cancel shop 12 --chain"))
        // Skips help, which is thrown like an error, and commands that are only named.
        for words in commands where !words.contains("--help") && words.contains(" ") {
            var typed = try ShellWords.split(words)
            typed = typed.map { Self.placeholders[$0] ?? $0 }
            do { _ = try Chainview.parseAsRoot(typed) } catch {
                // A completion script is thrown like an error, too.
                if Chainview.exitCode(for: error) == .success { continue }
                Issue.record("chainview \(words): \(Chainview.message(for: error))")
            }
        }
    }

    @Test func commandsAboutTheShopWorkWithAShop() throws {
        let place = Place()
        let shop = try place.probe("shop")
        for name in ["shop.chain", "crash.chain", "monday.chain", "tuesday.chain"] { try place.recording(name) }
        for number in 1...5 { try shop.tell("chain order \(number)") }
        // Sorted, so that the whole chain is cancelled after the node.
        let named = commands.filter {
            $0.contains(/^(?:ps|snapshot|events|diff|attach shop|cancel shop)\b/) && !$0.contains("4242")
        }
        #expect(named.count > 6)
        for words in named.sorted() {
            let isLasting = !words.contains("--help")
            let end =
                isLasting && words.hasPrefix("attach")
                ? " --headless --for 500ms" : isLasting && words.hasPrefix("events") ? " --for 500ms" : ""
            let outcome = try place.run(words + end)
            // The shop has no event meanwhile.
            let isSilent = words.hasPrefix("events shop")
            #expect(outcome.status == 0 && outcome.output.isEmpty == isSilent, "\(words): \(outcome)")
        }
    }

    /// The README of the demo server shows what its commands print, but for the numbers.
    @Test func whatTheServersCommandsPrintIsUpToDate() throws {
        let place = Place()
        let server = try place.probe("server")
        for number in 1...2 { try server.tell("chain order \(number)") }
        try place.run("ps server", untilItPrints: "6 live")
        let first = try place.run("ps server --live").output.split(separator: "\n")[0]
        let head = first.dropFirst("server \(server.pid)".count)
        #expect(head.hasPrefix("  2 chains · 6 nodes · 6 live") && serverReadme.contains(head + "\n"), "\(head)")
        let shown = try place.run("cancel server 1")
        #expect(shown.status == 0 && serverReadme.contains(shown.output), "\(shown)")
    }

    @Test func theExportsWork() throws {
        let place = Place()
        let shop = try place.probe("shop")
        try place.recording("shop.chain")
        try shop.tell("chain order 1")
        try shop.tell("settle order 1")
        let exports = commands.filter { $0.hasPrefix("export ") && !$0.contains("--help") }
        #expect(exports.count > 4)
        for words in exports.sorted() {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
            let collector = words.contains("--otlp") ? try TestCollector(answers: [answer]) : nil
            let typed = words.replacing("127.0.0.1:4318", with: "127.0.0.1:\(collector?.port ?? 0)")
            let outcome = try place.run(typed + (words.contains("--follow") ? " --for 500ms" : ""))
            #expect(outcome.status == 0, "\(typed): \(outcome)")
            if words.contains("--otlp") { #expect(outcome.errors.contains("sent 3 spans"), "\(outcome)") }
        }
    }

    @Test func theDemosAreThere() throws {
        let made = text.matches(of: /make demo(?: ARGS="([^"]*)")?/).map { "demo \($0.1 ?? "")" }
        #expect(made.count > 2)
        for words in Set(made) {
            let outcome = try Shell.run(words + " --headless --for 200ms")
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(words): \(outcome)")
        }
    }

    @Test func theConfigurationIsRight() throws {
        let examples = text.matches(of: /(?ms)^```toml\n(.*?)^```/).map { String($0.1) }
        #expect(!examples.isEmpty)
        for example in examples { #expect(ConfigFile(example, file: "Settings.md").problems.isEmpty, "\(example)") }
        // All themes, and no others.
        let section = try #require(text.firstMatch(of: /(?ms)^\| theme \|.*?\n\n/)).0
        #expect(section.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.1) } == Theme.all.map(\.name))
    }

    @Test func theHelpHasTheExitCodes() throws {
        let help = try Shell.run("--help").output.replacing(/\s+/, with: " ")
        for code in Reference.exitCodes { #expect(help.contains("\(code.term) \(code.text)"), "\(code)") }
    }
}

// SPDX-License-Identifier: MIT
