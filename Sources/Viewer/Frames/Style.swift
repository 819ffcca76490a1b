// SPDX-License-Identifier: MIT

/// The meaning of a piece of text. A ``Theme`` gives it a look.
///
/// The order has no meaning; ``Style`` keeps the raw value in six bits.
package enum Role: UInt8, CaseIterable, Sendable {
    /// Parts of the screen and of its rows. `selected` is not drawn: the selected row has ``Style/Modifiers/selected``.
    case normal, dim, header, headerAccent, selected, guide, label, kind, thread, number, key, keyText, border
    /// Text that asks for attention.
    case error, warning, match
    /// The states of a node.
    case waiting, queued, running, pending, fulfilled, rejected, cancelled, skipped, abandoned, unknown
    /// The bar at the bottom, and the text of a status line.
    case status
    /// A heading of columns or of a box.
    case title
    /// The inside of a box over the screen.
    case overlay
    /// A chain that was fulfilled although nodes of it were rejected.
    case recovered
}

/// The meaning of a cell's text and how it is stressed, in two bytes.
///
///     .running                 // a role
///     .header.bold             // stressed
///     .kind.selected           // on the selected row
package struct Style: RawRepresentable, Hashable, Sendable {
    /// Role in bits 0 to 5, ``Modifiers`` in bits 6 to 11.
    package let rawValue: UInt16

    /// Stress on top of a role.
    package struct Modifiers: OptionSet, Hashable, Sendable {
        /// One bit for each modifier; the upper two bits are not used.
        package let rawValue: UInt8

        /// Wraps raw bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// In heavier type.
        package static let bold = Modifiers(rawValue: 1)
        /// Less bright.
        package static let dimmed = Modifiers(rawValue: 2)
        /// With a line under it.
        package static let underlined = Modifiers(rawValue: 4)
        /// Foreground and background exchanged.
        package static let reversed = Modifiers(rawValue: 8)
        /// The background of the selected row; the role's colour stays in front.
        package static let selected = Modifiers(rawValue: 16)
        /// Slanted, where the terminal can.
        package static let italic = Modifiers(rawValue: 32)
        static let words = ["bold", "dimmed", "underlined", "reversed", "selected", "italic"]
    }

    /// How many raw values there are: the size of an array that is indexed by raw values.
    package static let count = 1 << 12

    /// Takes a raw value; drops bits beyond the twelfth, and replaces a role that does not exist by `normal`.
    package init(rawValue: UInt16) {
        let role = Role(rawValue: UInt8(rawValue & 63)) ?? .normal
        self.rawValue = rawValue & 0xFC0 | UInt16(role.rawValue)
    }

    /// A role with stress, none by default.
    package init(_ role: Role, _ modifiers: Modifiers = []) {
        rawValue = UInt16(role.rawValue) | UInt16(modifiers.rawValue & 63) << 6
    }

    /// The meaning of the text.
    package var role: Role { Role(rawValue: UInt8(rawValue & 63)) ?? .normal }
    /// The stress of the text.
    package var modifiers: Modifiers { Modifiers(rawValue: UInt8(rawValue >> 6)) }

    /// The same role with more stress.
    package func adding(_ more: Modifiers) -> Style { Style(role, modifiers.union(more)) }

    /// In bold.
    package var bold: Style { adding(.bold) }
    /// Less bright.
    package var dimmed: Style { adding(.dimmed) }
    /// Underlined.
    package var underlined: Style { adding(.underlined) }
    /// Foreground and background exchanged.
    package var reversed: Style { adding(.reversed) }
    /// On the selected row.
    package var selected: Style { adding(.selected) }
    /// In italics, where the terminal has them.
    package var italic: Style { adding(.italic) }

    /// The names of the role and its modifiers, as in golden frames: `header.bold`.
    package var name: String {
        var name = "\(role)"
        for (bit, word) in Modifiers.words.enumerated() where modifiers.rawValue & 1 << UInt8(bit) != 0 {
            name += "." + word
        }
        return name
    }
}

/// Roles without stress.
extension Style {
    /// ``Role/normal``.
    package static let normal = Style(.normal)
    package static let dim = Style(.dim)
    package static let header = Style(.header)
    package static let headerAccent = Style(.headerAccent)
    package static let guide = Style(.guide)
    package static let label = Style(.label)
    package static let kind = Style(.kind)
    package static let thread = Style(.thread)
    package static let number = Style(.number)
    package static let key = Style(.key)
    package static let keyText = Style(.keyText)
    package static let border = Style(.border)
    package static let error = Style(.error)
    package static let warning = Style(.warning)
    package static let match = Style(.match)
    package static let waiting = Style(.waiting)
    package static let queued = Style(.queued)
    package static let running = Style(.running)
    package static let pending = Style(.pending)
    package static let fulfilled = Style(.fulfilled)
    package static let rejected = Style(.rejected)
    package static let cancelled = Style(.cancelled)
    package static let skipped = Style(.skipped)
    package static let abandoned = Style(.abandoned)
    package static let unknown = Style(.unknown)
    package static let status = Style(.status)
    package static let title = Style(.title)
    package static let overlay = Style(.overlay)
}
