// SPDX-License-Identifier: MIT

/// Names of threads as they are shown.
package enum ThreadText {
    /// The maximum number of bytes that Linux keeps of a thread's name.
    private static let kernelLimit = 15

    /// Names of Dispatch's worker threads. If a name exceeds the kernel's limit, Dispatch keeps the last bytes of the
    /// name.
    private static let dispatchNames = [
        "maintenance", "background", "utility", "default", "user-initiated", "user-interactive",
    ].flatMap { ["com.apple.root.\($0)-qos", "com.apple.root.\($0)-qos.overcommit"] }

    /// Returns a thread's name as it is shown. If the kernel's limit cut its beginning, `ellipsis` replaces the first,
    /// incomplete word.
    package static func name(_ name: String, ellipsis: String) -> String {
        guard name.utf8.count == kernelLimit, dispatchNames.contains(where: { $0.hasSuffix(name) }) else { return name }
        let start = name.dropFirst().firstIndex { $0 == "." || $0 == "-" }
        return ellipsis + (start.map { name[name.index(after: $0)...] } ?? name[...])
    }
}
