import CChainRuntime
import PromiseRuntime

extension Inspector {
    /// Starts an inspector if the environment variable `CHAINVIEW` requests one; else it costs one look-up in the
    /// environment.
    ///
    ///     Inspector.startIfRequested()   // CHAINVIEW=1 program
    ///
    /// `1`, `true`, `yes` or `on`: as ``start(name:runtime:options:)`` does it. An absolute path: listening at that
    /// path (``InspectorEndpoint/unixPath(_:)``) instead of ``InspectorEndpoint/unix``. Empty, `0`, `false`, `no` or
    /// `off`, and in a program that has more rights than its caller (setuid, setgid): not at all. What is wrong is said
    /// on standard error in one sentence, and the program goes on.
    ///
    /// `CHAINVIEW_FLIGHT_RECORDER` requests a flight recorder beside it (``InspectorOptions/flightRecorder``): `1`, `true`,
    /// `yes` or `on`: the one of `options`, or one with the defaults; a number of bytes from `4M` on (as `64M` or `2G`):
    /// with a file of so many; an absolute path: with its file in that folder. `0`, `false`, `no` or `off`: none.
    ///
    /// `CHAINVIEW_BLACK_BOX=1` requests a flight recorder with a black box
    /// (``InspectorOptions/FlightRecorder/isBlackBox``).
    ///
    /// - Returns: the inspector, or nil where none was asked for or none can be had.
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
            let others = (options.endpoints ?? []).filter { if case .tcp = $0 { true } else { false } }
            options.endpoints = [.unixPath(value)] + others
        }
        do { return try start(name: name, runtime: runtime, options: options) } catch {
            chain_log("chainview: \(error)\n")
            return nil
        }
    }
}

extension InspectorOptions {
    /// Sets the black box as the environment requests it.
    mutating func requestBlackBox(_ value: String?) {
        switch (value ?? "").lowercased() {
        case "1", "true", "yes", "on":
            flightRecorder = flightRecorder ?? FlightRecorder()
            flightRecorder?.isBlackBox = true
        case "0", "false", "no", "off": flightRecorder?.isBlackBox = false
        case "": break
        default: chain_log("chainview: CHAINVIEW_BLACK_BOX is neither 1 nor 0: there is no black box\n")
        }
    }

    /// Sets the flight recorder as the environment requests it.
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
                        + "of a folder: there is no flight recorder\n")
            }
        }
        flightRecorder = wanted
    }
}

/// `64m`, `2g`; a bare number is bytes.
private func byteCount(_ text: String) -> Int? {
    let shift = ["k": 10, "m": 20, "g": 30][text.last.map { String($0) } ?? ""]
    guard let number = Int(shift == nil ? text : String(text.dropLast())), number >= 0 else { return nil }
    let (count, isTooLarge) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return isTooLarge ? nil : count
}
