// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// The functions of a process by address, with the names that its files have for them.
final class FunctionNames {
    private var known: [UInt64: StackFunction] = [:]
    /// The most functions that are remembered.
    private static let limit = 100_000

    /// Returns the function at an address. The first function of a file takes up to some 100 ms, because the file's table
    /// of symbols is read then.
    func function(at address: UInt64, in images: ProcessImages) -> StackFunction {
        if let function = known[address] { return function }
        let function = Self.read(address, images)
        if known.count >= Self.limit { known = [:] }
        known[address] = function
        return function
    }

    /// Returns the name of the function at an address of a thread's stack, also of one that is not of Swift; `?` for memory
    /// without a file.
    func place(of address: UInt64, in images: ProcessImages) -> String {
        if let name = function(at: address, in: images).name { return name }
        guard let image = images.image(at: address) else { return "?" }
        return image.symbol(at: address) ?? image.place(of: address)
    }

    /// Returns the name of the closure at an address, also where a forwarder of it is.
    func closure(at address: UInt64, in images: ProcessImages) -> String {
        let name = place(of: address, in: images)
        return FunctionName.demangled(name) ?? name
    }

    /// Forgets what was read, because files were mapped or unmapped.
    func forget() { known = [:] }

    private static func read(_ address: UInt64, _ images: ProcessImages) -> StackFunction {
        guard let image = images.image(at: address) else { return StackFunction(name: nil, isOfSystem: true) }
        guard let symbol = image.symbol(at: address) else {
            return StackFunction(name: image.place(of: address), isOfSystem: image.name.hasPrefix("libswift"))
        }
        return StackFunction(symbol: symbol)
    }

    /// Returns the functions of a stack, one a line, as ``StackFunction/text(of:)`` returns them.
    func text(of frames: [UInt64], in images: ProcessImages) -> String {
        own(frames, in: images).map(\.name).joined(separator: "\n")
    }

    /// Returns the functions of a stack as ``text(of:in:)`` does, each with its place in the source, where there is debug
    /// information: `charge(Int)  Shop/Till.swift:41`. Reading that of a file takes some 10 ms a megabyte, once.
    func placedText(of frames: [UInt64], in images: ProcessImages) -> String {
        own(frames, in: images).map {
            $0.name + Self.place(of: images.image(at: $0.address)?.startLine(at: $0.address))
        }.joined(separator: "\n")
    }

    /// Returns the functions of a stack as ``StackFunction/own(_:)`` does.
    private func own(_ frames: [UInt64], in images: ProcessImages) -> ArraySlice<StackFunction.Named> {
        StackFunction.own(
            StackFunction.named(
                frames.lazy.map { address in
                    var function = self.function(at: address, in: images)
                    function.address = address
                    return function
                }))
    }

    /// Returns what ``place(of:in:)`` does, with the line, where there is debug information.
    func placedName(of address: UInt64, in images: ProcessImages) -> String {
        place(of: address, in: images) + Self.place(of: images.image(at: address)?.line(at: address))
    }

    private static func place(of line: LineTable.Place?) -> String {
        line.map { "\(NodeDetail.placeMark)\($0.file):\($0.line)" } ?? ""
    }

    /// Returns the name of the function that a task was made with: the outermost of its frames.
    func origin(of frames: [UInt64], in images: ProcessImages) -> String? {
        var outermost: String?
        for address in frames.reversed() {
            let function = function(at: address, in: images)
            guard let name = function.name else { continue }
            if !function.isOfSystem { return name }
            outermost = outermost ?? name
        }
        return outermost
    }
}
