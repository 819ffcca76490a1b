// SPDX-License-Identifier: MIT

import CChainRuntime
import PromiseRuntime

extension Inspector {
    /// Starts an inspector if the environment variable `CHAINVIEW` requests one. If it is not set, the call costs one
    /// look-up in the environment. An error is one sentence on standard error, and the program continues.
    ///
    ///     Inspector.startIfRequested()   // CHAINVIEW=1 program
    ///
    /// - `1`, `true`, `yes` or `on`: starts an inspector as ``start(name:runtime:options:)`` does.
    /// - An absolute path: starts an inspector that listens at that path (``InspectorEndpoint/unixPath(_:)``) instead
    ///   of ``InspectorEndpoint/unix``.
    /// - Empty, `0`, `false`, `no` or `off`, or anything in a program that has more rights than its caller (setuid,
    ///   setgid): starts no inspector.
    ///
    /// `CHAINVIEW_FLIGHT_RECORDER` also requests a flight recorder (``InspectorOptions/flightRecorder``):
    ///
    /// - `1`, `true`, `yes` or `on`: the flight recorder of `options`, or a flight recorder with the defaults.
    /// - A number of bytes, at least `4M` (such as `64M` or `2G`): a flight recorder with a file of that size.
    /// - An absolute path: a flight recorder with its file in that folder.
    /// - `0`, `false`, `no` or `off`: no flight recorder.
    ///
    /// `CHAINVIEW_BLACK_BOX=1` requests a flight recorder with a black box
    /// (``InspectorOptions/FlightRecorder/isBlackBox``).
    ///
    /// - Returns: the inspector; nil where none was requested or none could be started.
    @discardableResult
    public static func startIfRequested(
        name: String? = nil, runtime: ChainRuntime = .shared, options: InspectorOptions = InspectorOptions()
    ) -> Inspector? {
        startIfRequested(by: secureEnvironment("CHAINVIEW"), name: name, runtime: runtime, options: options)
    }

    static func startIfRequested(
        by value: String?, name: String? = nil, runtime: ChainRuntime = .shared,
        options: InspectorOptions = InspectorOptions()
    ) -> Inspector? {
        guard let value, !value.isEmpty else { return nil }
        var options = options
        options.requestBlackBox(secureEnvironment("CHAINVIEW_BLACK_BOX"))
        options.requestFlightRecorder(secureEnvironment("CHAINVIEW_FLIGHT_RECORDER"))
        switch value.lowercased() {
        case "0", "false", "no", "off": return nil
        case "1", "true", "yes", "on": break
        default:
            guard value.hasPrefix("/") else {
                chain_log(
                    "chainview: CHAINVIEW is neither 1 nor 0 nor an absolute path of a socket: viewers cannot attach\n")
                return nil
            }
            let others = (options.endpoints ?? []).filter { $0 != .unix && $0 != .unixPath(value) }
            options.endpoints = [.unixPath(value)] + others
        }
        do { return try start(name: name, runtime: runtime, options: options) } catch {
            chain_log("chainview: \(error)\n")
            return nil
        }
    }
}

extension InspectorOptions {
    /// Adds or removes the black box as `CHAINVIEW_BLACK_BOX` requests; nil and an empty text change nothing.
    mutating func requestBlackBox(_ value: String?) {
        switch (value ?? "").lowercased() {
        case "1", "true", "yes", "on":
            flightRecorder = flightRecorder ?? FlightRecorder()
            flightRecorder?.isBlackBox = true
        case "0", "false", "no", "off": flightRecorder?.isBlackBox = false
        case "": break
        default: chain_log("chainview: CHAINVIEW_BLACK_BOX is neither 1 nor 0: it is ignored\n")
        }
    }

    /// Sets the flight recorder as `CHAINVIEW_FLIGHT_RECORDER` requests; nil and an empty text change nothing.
    mutating func requestFlightRecorder(_ value: String?) {
        guard let value, !value.isEmpty else { return }
        var wanted = flightRecorder ?? FlightRecorder()
        switch value.lowercased() {
        case "0", "false", "no", "off": return flightRecorder = nil
        case "1", "true", "yes", "on": break
        case let text:
            if value.hasPrefix("/") {
                wanted.folder = value
            } else if let count = byteCount(text), count >= 4 << 20 {
                wanted.maxBytes = count
            } else {
                return chain_log(
                    "chainview: CHAINVIEW_FLIGHT_RECORDER is neither 1 nor 0, nor a size from 4M on, nor an absolute path "
                        + "of a folder: it is ignored\n")
            }
        }
        flightRecorder = wanted
    }
}

/// Returns the number of bytes of a size such as `64m` or `2g`; a bare number is bytes. Nil for other texts.
private func byteCount(_ text: String) -> Int? {
    let shift = ["k": 10, "m": 20, "g": 30][text.last.map { String($0) } ?? ""]
    guard let number = Int(shift == nil ? text : String(text.dropLast())), number >= 0 else { return nil }
    let (count, isTooLarge) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return isTooLarge ? nil : count
}
