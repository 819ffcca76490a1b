import Foundation

@testable import Frames

/// Perception of colours: contrast by WCAG 2.1, dichromats by Machado, Oliveira and Fernandes (2009), distances in
/// CIELAB.
enum Vision: CaseIterable {
    case usual, protan, deutan

    /// Red, green and blue as amounts of light, 0 to 1.
    struct Light {
        var red: Double
        var green: Double
        var blue: Double

        init(_ red: Double, _ green: Double, _ blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }

        /// Makes the light of one of the 256 colours or, for a negative number, of `own`, as `#rrggbb`.
        init(_ number: Int16, orElse own: String) {
            let value = number < 0 ? Int(own.dropFirst(), radix: 16)! : Int(Palette.hex(number).dropFirst(), radix: 16)!
            func amount(_ byte: Int) -> Double {
                let part = Double(byte) / 255
                return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            self.init(amount(value >> 16), amount(value >> 8 & 255), amount(value & 255))
        }

        var luminance: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }

        /// Returns the light multiplied by a matrix.
        func through(_ rows: [[Double]]) -> Light {
            let sums = rows.map { $0[0] * red + $0[1] * green + $0[2] * blue }
            return Light(sums[0], sums[1], sums[2])
        }
    }

    /// The matrix from the light of a colour to what is seen of it.
    private var matrix: [[Double]] {
        switch self {
        case .usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        case .protan:
            [
                [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
            ]
        case .deutan:
            [
                [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
            ]
        }
    }

    /// Returns the contrast ratio, from 1 to 21.
    static func contrast(_ left: Light, _ right: Light) -> Double {
        let (low, high) = (min(left.luminance, right.luminance), max(left.luminance, right.luminance))
        return (high + 0.05) / (low + 0.05)
    }

    /// Returns the perceived distance of two colours, ΔE*ab; from some 2.3 they differ side by side.
    func distance(_ left: Light, _ right: Light) -> Double {
        let (leftLab, rightLab) = (lab(left), lab(right))
        return zip(leftLab, rightLab).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    }

    /// Returns the coordinates of a light in CIELAB.
    private func lab(_ light: Light) -> [Double] {
        let seen = light.through(matrix)
        let clipped = Light(min(max(seen.red, 0), 1), min(max(seen.green, 0), 1), min(max(seen.blue, 0), 1))
        let xyz = clipped.through([
            [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041],
        ])
        func root(_ value: Double) -> Double {
            value > 216.0 / 24_389 ? cbrt(value) : value * 841 / 108 + 4.0 / 29
        }
        let (rootX, rootY, rootZ) = (root(xyz.red / 0.9504700), root(xyz.green), root(xyz.blue / 1.0888300))
        return [116 * rootY - 16, 500 * (rootX - rootY), 200 * (rootY - rootZ)]
    }
}

// SPDX-License-Identifier: MIT
