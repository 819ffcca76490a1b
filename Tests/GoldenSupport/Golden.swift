import Foundation

/// Texts that are compared with files in the `Golden` folder beside the test.
///
///     #expect(Golden.complaint(about: frame.golden(), named: "checkout-80x24") == nil)
///
/// A golden file that is missing or differs is a failure, and the text is left beside it as `NAME.actual`.
/// With `CHAINVIEW_RECORD=1` in the environment the file is written instead, unless `CI` is set too.
public enum Golden {
    /// Nil if the file says the same, else what is wrong, with the first lines that differ.
    public static func complaint(about text: String, named name: String, beside test: String = #filePath) -> String? {
        let folder = URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("Golden")
        let file = folder.appendingPathComponent(name + ".txt")
        let actual = folder.appendingPathComponent(name + ".actual")
        if isRecording {
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
                try? FileManager.default.removeItem(at: actual)
                return nil
            } catch { return "\(name): cannot record: \(error)" }
        }
        guard let expected = try? String(contentsOf: file, encoding: .utf8) else {
            try? text.write(to: actual, atomically: true, encoding: .utf8)
            return "\(name): there is no golden file; look at \(actual.lastPathComponent), record it if it is right"
        }
        guard expected != text else {
            try? FileManager.default.removeItem(at: actual)
            return nil
        }
        try? text.write(to: actual, atomically: true, encoding: .utf8)
        return "\(name) differs:\n" + difference(expected, text)
    }

    private static var isRecording: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["CHAINVIEW_RECORD"] == "1" && environment["CI"] == nil
    }

    private static func difference(_ expected: String, _ actual: String) -> String {
        let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let new = actual.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [String] = []
        for place in 0..<max(old.count, new.count) where lines.count < 20 {
            let left = place < old.count ? String(old[place]) : "(nothing)"
            let right = place < new.count ? String(new[place]) : "(nothing)"
            if left != right { lines += ["\(place + 1) - \(left)", "\(place + 1) + \(right)"] }
        }
        return lines.joined(separator: "\n")
    }
}
