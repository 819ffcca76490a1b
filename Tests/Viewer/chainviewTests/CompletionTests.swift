import Foundation
import TerminalHarness
import Testing

/// Completions in real shells, on a terminal: the line after Tab. Shells that are not installed are skipped.
@Suite(.serialized, .onItsOwnThread) struct CompletionTests {
    /// Starts a shell with the completions set up as in the README; returns nil if it is not installed.
    private func shell(_ name: String, in place: Place) throws -> PseudoTerminal? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") })
        else { return nil }
        let products = (builtProduct("chainview") as NSString).deletingLastPathComponent
        var environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
        environment["PATH"] = products + ":" + folders.joined(separator: ":")
        environment["HOME"] = place.path
        let arguments = ["bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]][name]!
        let setup = [
            "bash": "PS1='> '; source <(chainview --generate-completion-script bash)",
            "zsh": "PS1='> '; chainview --generate-completion-script zsh > _chainview; fpath=($PWD $fpath); "
                + "autoload -U compinit; compinit -u -D",
            "fish": "chainview --generate-completion-script fish | source",
        ][name]!
        let terminal = try PseudoTerminal(
            "\(folder)/\(name)", arguments, columns: 120, rows: 30, environment: environment, directory: place.path)
        try terminal.waitUntil("a prompt of \(name)") { screen in "#$%>".contains { screen.contains(String($0)) } }
        terminal.send(setup + "; echo is re''ady\r")
        try terminal.waitUntil("\(name) to be ready") { $0.contains("is ready") }
        return terminal
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func tabCompletesTheLine(_ name: String) throws {
        let place = Place()
        _ = FileManager.default.createFile(atPath: place.path + "/server.toml", contents: nil)
        let shop = try place.probe("shop")
        let bank = try place.probe("bank", "flight")
        // The request makes the flight recorder write its own file.
        #expect(try place.run("record bank --last 1s -o bank.chain").status == 0)
        bank.end(by: SIGKILL)
        unlink(place.path + "/bank.chain")
        guard let terminal = try shell(name, in: place) else { return }
        for (typed, line) in [
            ("att", "attach"), ("demo ch", "demo checkout"), ("demo --theme hi", "demo --theme high-contrast"),
            ("attach --view ti", "attach --view timeline"), ("attach -W deep", "attach -W deep-chain"),
            ("config --pri", "config --print-default"), ("attach sh", "attach shop"), ("ps sh", "ps shop"),
            ("cancel sh", "cancel shop"), ("post-mortem ba", "post-mortem bank"),
            ("config --check ser", "config --check server.toml"),
            ("run ser", "run server.toml"),
        ] {
            terminal.send("chainview \(typed)\t")
            try terminal.waitUntil("\(name) to complete \(typed)") {
                $0.contains("chainview \(line)")
            }
            // Clears the line.
            terminal.send("\u{15}clear\r")
            try terminal.waitUntil("an empty screen") { !$0.contains("chainview") }
        }
        withExtendedLifetime(shop) {}
    }
}

// SPDX-License-Identifier: MIT
