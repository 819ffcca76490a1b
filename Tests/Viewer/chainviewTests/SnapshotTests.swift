import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// `chainview snapshot`.
@Suite(.serialized, .onItsOwnThread) struct SnapshotTests {
    @Test func aFrameOfARecordingIsPrinted() throws {
        let place = Place()
        try place.recording()
        let late = try place.run("snapshot shop.chain --size 100x12")
        #expect(late.status == 0 && late.errors.isEmpty && late.lineCount <= 12, "\(late)")
        #expect(late.output.contains("order 5") && late.output.contains("shop"), "\(late.output)")
        let early = try place.run("snapshot shop.chain@1.2s")
        #expect(early.output.contains("order 2") && !early.output.contains("order 3"), "\(early)")
        let sites = try place.run("snapshot shop.chain --view sites")
        #expect(sites.output.contains("Order.swift:42"), "\(sites.output)")
    }

    @Test func itIsTheFrameOfReplay() throws {
        let place = Place()
        try place.recording()
        let frame = try place.run("replay shop.chain --at 2s --headless").output
        #expect(try place.run("snapshot shop.chain@2s").output == frame)
    }

    @Test func theFormatsAreThoseOfSavedScreens() throws {
        let place = Place()
        try place.recording()
        let ansi = try place.run("snapshot shop.chain --format ansi")
        #expect(ansi.status == 0 && ansi.output.contains("\u{1B}["), "\(ansi)")
        let svg = try place.run("snapshot shop.chain --format svg")
        #expect(svg.status == 0 && svg.output.hasPrefix("<svg ") && svg.output.contains("chainview shop"), "\(svg)")
        for words in ["--format png", "--size 0x0", "--view nothing"] {
            #expect(try place.run("snapshot shop.chain \(words)").status == 64, "\(words)")
        }
    }

    @Test func aFrameOfAProgramIsPrintedAtOnce() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let outcome = try place.run("snapshot shop")
        #expect(outcome.status == 0 && outcome.output.contains("complain of order 17"), "\(outcome)")
        #expect(outcome.output.contains("shop \(shop.pid)"))
        #expect(try place.run("snapshot nothing").status == 66)
    }
}

// SPDX-License-Identifier: MIT
