import ChainEvents
import Foundation
import Frames
import GoldenSupport
import Testing

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

@testable import Dashboard

/// Golden frames: each cell of the screen, for given events, keys and sizes.
@Suite struct GoldenTests {
    static let sizes = [
        Size(columns: 20, rows: 5), Size(columns: 80, rows: 24), Size(columns: 120, rows: 40),
        Size(columns: 200, rows: 60),
    ]

    @Test(arguments: sizes) func checkout(_ size: Size) {
        check(Self.checkout(size.columns, size.rows), "chains/checkout-\(size)")
    }

    @Test(arguments: [30, 40, 50, 64, 88, 100, 112]) func columnsGiveWay(_ columns: Int) {
        check(Self.checkout(columns, 12), "chains/columns-\(columns)")
    }

    @Test func hostileTextIsHarmless() { check(Self.hostile(.init()), "chains/hostile-80x24") }

    @Test func hostileTextIsHarmlessInASCII() {
        check(Self.hostile(State.Options(glyphs: .ascii)), "chains/hostile-ascii-80x24")
    }

    @Test func checkoutInASCII() {
        check(Self.checkout(120, 40, options: State.Options(glyphs: .ascii)), "chains/checkout-ascii-120x40")
    }

    @Test func detailBelow() {
        var screen = Self.checkout(100, 30)
        screen.type("<End>kkkk<Enter>")
        check(screen, "detail/100x30")
    }

    @Test func detailOfARejection() {
        var screen = Self.checkout(160, 40)
        screen.go(to: 203)
        check(screen, "detail/160x40")
    }

    @Test func confirmation() {
        var screen = Self.checkout(80, 24)
        screen.type("<End>kkC")
        check(screen, "overlays/confirm-80x24")
    }

    @Test func help() {
        var screen = Self.checkout(100, 50)
        screen.type("?")
        check(screen, "overlays/help-100x50")
        screen.act(.resized(Size(columns: 60, rows: 16)))
        screen.type("jjj")
        check(screen, "overlays/help-60x16")
    }

    @Test func filterHides() {
        var screen = Self.checkout(100, 30)
        screen.type("/card")
        check(screen, "filter/typing-100x30")
        screen.type("<Enter>nn")
        check(screen, "filter/100x30")
        screen.type("m")
        screen.tick(20_000)
        check(screen, "filter/dimmed-100x30")
    }

    @Test func settledChainsFoldAndGoDown() {
        var screen = Self.checkout(100, 30)
        screen.tick(18_000)
        check(screen, "chains/archived-100x30")
    }

    @Test func frozen() {
        var screen = Self.checkout(100, 12)
        screen.type("p")
        var more = Script(sequence: 2, time: 5_000)
        more.make(500, .promise, "order 19")
        screen.feed(more)
        screen.tick(12_000)
        check(screen, "chains/frozen-100x12")
    }

    @Test func nothingYet() {
        check(Screen(80, 24, connected: false), "chains/waiting-80x24")
        var empty = Screen(80, 24)
        empty.act(.received(SourceID(0), Script().batch))
        check(empty, "chains/empty-80x24")
    }

    // MARK: Scenes

    /// Returns a screen with the four orders of ``Demo/checkout()``.
    static func checkout(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options)
        for batch in Demo.checkout() { screen.feed(batch) }
        screen.tick(4_240)
        return screen
    }

    /// Returns a screen with control characters, bidi marks, wide characters and combining marks in labels and errors.
    static func hostile(_ options: State.Options) -> Screen {
        var screen = Screen(80, 24, options: options)
        var script = Script(time: 10)
        script.make(1, .promise, "\u{1b}[31mred\u{7}\u{1b}]0;title\u{7}", site: "A/A.swift:1")
        script.make(2, .then, "line\nbreak\ttab\r\u{0}nul", under: 1)
        script.make(3, .then, "\u{202e}gnp.exe \u{2066}bidi\u{2069}", under: 2)
        script.make(4, .then, "注文を確認する漢字のとても長い名前がここで切れるはずです", under: 3)
        script.make(5, .then, "e\u{301}\u{302}\u{303}\u{304} Zalgo a\u{30a}ngstro\u{308}m", under: 4)
        script.make(6, .then, "👩‍👩‍👧‍👦 family 🇩🇪 flag ❤️ heart", under: 5)
        script.make(7, .then, String(repeating: "long ", count: 100), under: 6)
        script.make(8, .then, "", under: 7)
        script.start(1)
        script.reject(1, "\u{1b}[2J\u{9b}31m wiped? \u{200b}zero\u{feff} 漢字")
        screen.feed(script)
        screen.type("<Enter>")
        screen.tick(1_000)
        return screen
    }

    private func check(_ screen: Screen, _ name: String) { Self.check(screen, name) }

    /// Compares a screen with a golden frame. Also writes a picture if `CHAINVIEW_SVG` names a folder.
    static func check(_ screen: Screen, _ name: String) {
        if let folder = ProcessInfo.processInfo.environment["CHAINVIEW_SVG"] {
            let file = URL(fileURLWithPath: "\(folder)/\(name).svg")
            #expect(throws: Never.self) {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try screen.frame.svg(theme: screen.state.options.theme)
                    .write(to: file, atomically: true, encoding: .utf8)
            }
        }
        let complaint = Golden.complaint(about: screen.golden(), named: name)
        #expect(complaint == nil)
    }
}

// SPDX-License-Identifier: MIT
