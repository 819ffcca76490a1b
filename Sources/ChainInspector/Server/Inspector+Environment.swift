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
