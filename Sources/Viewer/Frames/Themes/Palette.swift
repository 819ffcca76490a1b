// SPDX-License-Identifier: MIT

/// The 256 colours of terminals, for pictures and for computing contrasts.
enum Palette {
    /// Returns the red, green and blue of a colour. Users may configure the first 16 colours; their values here are
    /// examples.
    static func color(_ number: Int16) -> (red: UInt8, green: UInt8, blue: UInt8) {
        let number = min(max(0, Int(number)), 255)
        if number < 16 {
            let color = firstColors[number]
            return (UInt8(color >> 16), UInt8(color >> 8 & 255), UInt8(color & 255))
        }
        if number >= 232 {
            let grey = UInt8(8 + (number - 232) * 10)
            return (grey, grey, grey)
        }
        let index = number - 16
        return (levels[index / 36], levels[index / 6 % 6], levels[index % 6])
    }

    /// Returns a colour as `#rrggbb`.
    static func hex(_ number: Int16) -> String {
        let (red, green, blue) = color(number)
        return "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The levels of red, green and blue in the colour cube.
    private static let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
    private static let firstColors: [UInt32] = [
        0x1D1F21, 0xCC6666, 0x8FB573, 0xD8B26E, 0x6F9BD1, 0xB294BB, 0x7FBAB5, 0xC5C8C6,
        0x6B6F76, 0xF07178, 0xB5D68F, 0xF0D68A, 0x8FB8EC, 0xD0A8DC, 0x9FDCD6, 0xFFFFFF,
    ]
}
