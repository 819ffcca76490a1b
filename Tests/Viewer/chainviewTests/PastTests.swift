import Foundation
import TerminalHarness
import Testing

/// Looking back at a live program, and recording it, on a terminal.
@Suite(.serialized, .onItsOwnThread) struct PastTests {
    @Test func theLastMinutesCanBeShownAgain() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        try viewer.see("order 17")
        viewer.type(">")
        try viewer.see("this is now")
        try shop.tell("chain order 18")
        try viewer.see("order 18")
        viewer.type(",")
        try viewer.see("behind")
        viewer.type("c")
        try viewer.see("End returns to now")
        viewer.type(":mark here\r")
        try viewer.see("marked: here")
        // What happens meanwhile is not shown.
        try shop.tell("chain order 19")
        viewer.type("< ")
        try viewer.see("playing")
        viewer.type(" ")
        try viewer.see("paused")
        viewer.press(.end)
        try viewer.seeNoMore("behind")
        try viewer.see("order 19")
        viewer.type(":at here\r")
        try viewer.see("behind")
        #expect(!viewer.text.contains("order 19"))
        viewer.type(":at end\r")
        try viewer.seeNoMore("behind")
        try viewer.quit()
    }

    /// Keys that come while the past is read wait for it, and nothing is left waiting.
    @Test func lookingBackWorksAgainAndAgain() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        try viewer.see("order 17")
        for _ in 0..<5 {
            viewer.type(",.> ")
            viewer.press(.end)
            viewer.type(",<")
            try viewer.wait("the past") { $0.contains("paused") && $0.contains("behind") }
            viewer.press(.end)
            try viewer.seeNoMore("behind")
        }
        try viewer.quit()
    }

    @Test func withoutMemoryTheKeysAreThoseOfTheList() throws {
        let place = Place()
        try FileManager.default.createDirectory(
            atPath: place.path + "/config/chainview", withIntermediateDirectories: true)
        try Data("[history]\nmemory = \"0\"\n".utf8)
            .write(to: URL(fileURLWithPath: place.path + "/config/chainview/config.toml"))
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        viewer.type("<,")
        try viewer.see(", is not bound")
        viewer.type(":at -5s\r")
        try viewer.see("only a recording has other moments")
        viewer.press(.escape)
        try viewer.seeNoMore("other moments")
        try viewer.quit()
    }

    @Test func aProgramIsRecordedFromTheDashboard() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        viewer.type(":record a.chain\r")
        try viewer.see("recording into a.chain")
        viewer.type(":record b.chain\r")
        try viewer.see("already recording into")
        // The header counts the time, and a mark needs a moment to stand at.
        try viewer.wait("events in it") { $0.text(row: 0).contains(/recording [0-9]/) }
        viewer.type(":mark the crash\r")
        try viewer.see("marked: the crash")
        viewer.type("R")
        try viewer.see("recorded shop")
        #expect(try String(contentsOfFile: place.path + "/a.chain.marks", encoding: .utf8).contains(" the crash\n"))
        #expect(try place.run("replay a.chain --headless").output.contains("order 17"))
        viewer.type(":record a.chain\r")
        try viewer.see("exists")
        viewer.type(":record /nowhere/a.chain\r")
        try viewer.see("cannot be written")
        viewer.type("R")
        try viewer.see("recording into shop-")
        try viewer.wait("a chunk in its file") { _ in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
            let name = files.first { $0.hasPrefix("shop-") && $0.hasSuffix(".chain") }
            let facts = name.flatMap { try? FileManager.default.attributesOfItem(atPath: place.path + "/" + $0) }
            return (facts?[.size] as? Int ?? 0) > 0
        }
        viewer.type("q")
        #expect(try viewer.terminal.waitForExit() == .exited(0))
        #expect(viewer.text.contains("recorded shop"))
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path)
        let file = try #require(files.first { $0.hasPrefix("shop-") && $0.hasSuffix(".chain") })
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + "/" + file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }
}

// SPDX-License-Identifier: MIT
