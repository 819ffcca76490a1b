import Testing

@testable import Frames

@Suite struct StyleTests {
    @Test func aStyleKeepsRoleAndModifiers() {
        #expect(Role.allCases.count <= 64)
        for role in Role.allCases {
            for bits in UInt8(0)..<64 {
                let style = Style(role, Style.Modifiers(rawValue: bits))
                #expect(style.role == role && style.modifiers.rawValue == bits)
                #expect(Style(rawValue: style.rawValue) == style)
                #expect(Int(style.rawValue) < Style.count)
            }
        }
        #expect(Style.header.bold.selected.name == "header.bold.selected")
        #expect(Style(rawValue: .max).role == .normal)
    }

    @Test(arguments: ColorDepth.allCases, Theme.all)
    func looksStayWithinTheTerminalsColours(depth: ColorDepth, theme: Theme) {
        for raw in 0..<Style.count {
            let look = theme.look(Style(rawValue: UInt16(raw)), depth: depth)
            #expect(look.foreground >= -1 && look.foreground < Int16(max(depth.rawValue, 0)))
            #expect(look.background >= -1 && look.background < Int16(max(depth.rawValue, 0)))
            #expect(!look.attributes.contains(.selected))
            #expect(look.foreground < 0 || look.foreground != look.background)
        }
    }

    @Test func theSelectedRowShowsInEveryDepth() {
        for theme in Theme.all {
            for depth in ColorDepth.allCases {
                for role in Role.allCases where role != .selected {
                    let plain = theme.look(Style(role), depth: depth)
                    let selected = theme.look(Style(role).selected, depth: depth)
                    #expect(plain != selected, "\(theme.name) \(role) \(depth)")
                }
            }
        }
    }

    @Test(arguments: [
        (KeyPress.character("q"), "q"), (.control("l"), "^L"), (.alt("x"), "Alt-x"), (KeyPress(.pageUp), "PgUp"),
        (KeyPress(.function(1), .shift), "Shift-F1"), (KeyPress(.backTab, .shift), "Shift-Tab"),
        (.character(" "), "Space"), (.control(" "), "Ctrl-Space"), (KeyPress(.up, [.control, .alt]), "Ctrl-Alt-↑"),
    ])
    func keysHaveNames(key: KeyPress, name: String) {
        #expect(key.description == name)
    }
}

// SPDX-License-Identifier: MIT
