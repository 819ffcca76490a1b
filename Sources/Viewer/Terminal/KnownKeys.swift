// SPDX-License-Identifier: MIT

import CTerminal
import Frames

/// The byte sequences of keys in the open terminal's description.
enum KnownKeys {
    static func ofTerminal() -> [[UInt8]: KeyPress] {
        var keys: [[UInt8]: KeyPress] = [:]
        for (name, key) in capabilities {
            guard let text = ct_capability(name) else { continue }
            let bytes = String(cString: text).utf8
            // The decoder itself reads a single byte, alone or after Escape, because that byte may begin a longer
            // sequence.
            if bytes.count > 2 || (bytes.count == 2 && bytes.first != 0x1B) { keys[Array(bytes)] = key }
        }
        return keys
    }

    private static let capabilities: [(String, KeyPress)] = {
        var list: [(String, KeyPress)] = [
            ("kcuu1", KeyPress(.up)), ("kcud1", KeyPress(.down)), ("kcub1", KeyPress(.left)),
            ("kcuf1", KeyPress(.right)), ("khome", KeyPress(.home)), ("kend", KeyPress(.end)),
            ("kpp", KeyPress(.pageUp)), ("knp", KeyPress(.pageDown)), ("kdch1", KeyPress(.delete)),
            ("kich1", KeyPress(.insert)), ("kcbt", KeyPress(.backTab)), ("kent", KeyPress(.enter)),
        ]
        for number in 1...12 { list.append(("kf\(number)", KeyPress(.function(number)))) }
        // The extended names, with the modifiers as a number: kUP5 is Control-Up.
        let extended: [(String, Key)] = [
            ("kUP", .up), ("kDN", .down), ("kLFT", .left), ("kRIT", .right), ("kHOM", .home), ("kEND", .end),
            ("kPRV", .pageUp), ("kNXT", .pageDown), ("kDC", .delete), ("kIC", .insert),
        ]
        for (name, key) in extended {
            list.append((name, KeyPress(key, .shift)))
            for number in 3...8 {
                list.append((name + "\(number)", KeyPress(key, KeyPress.Modifiers(rawValue: UInt8(number - 1)))))
            }
        }
        return list
    }()
}
