import Foundation

/// Compares texts and bytes with files in the `Golden` folder beside the test.
///
///     #expect(Golden.complaint(about: frame.golden(), named: "checkout-80x24") == nil)
///
/// A missing or different file is a failure; the actual content is left beside it as `NAME.actual`. With
/// `CHAINVIEW_RECORD=1` in the environment the file is written instead, unless `CI` is set, too. A name may hold folders:
/// `threads/80x24`.
public enum Golden {
    /// Returns nil if the file `NAME.txt` has the same text, else a message with the first lines that differ.
    public static func complaint(about text: String, named name: String, beside test: String = #filePath) -> String? {
        complaint(about: Data(text.utf8), named: name, extension: "txt", beside: test) { expected in
            difference(String(decoding: expected, as: UTF8.self), text)
        }
    }

    /// Returns nil if the file `NAME.bin` has the same bytes, else a message with the index of the first that differs.
    public static func complaint(about bytes: [UInt8], named name: String, beside test: String = #filePath) -> String? {
        complaint(about: Data(bytes), named: name, extension: "bin", beside: test) { expected in
            let first = zip(expected, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            return
                "\(expected.count) and \(bytes.count) bytes, the same up to \(first ?? min(expected.count, bytes.count))"
        }
    }

    /// Returns the content of the file `NAME.bin`; nil if there is none.
    public static func bytes(named name: String, beside test: String = #filePath) -> [UInt8]? {
        (try? Data(contentsOf: folder(beside: test).appendingPathComponent(name + ".bin"))).map { [UInt8]($0) }
    }

    /// Returns the names, without the extension, of the golden files with an extension.
    public static func names(ofFilesWith suffix: String, beside test: String = #filePath) throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder(beside: test), includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == suffix }.map { $0.deletingPathExtension().lastPathComponent }
    }

    private static func folder(beside test: String) -> URL {
        URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("Golden")
    }

    private static func complaint(
        about data: Data, named name: String, extension suffix: String, beside test: String,
        difference: (_ expected: Data) -> String
    ) -> String? {
        let folder = folder(beside: test)
        let file = folder.appendingPathComponent("\(name).\(suffix)")
        let actual = folder.appendingPathComponent(name + ".actual")
        if isRecording {
            do {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try data.write(to: file, options: .atomic)
                try? FileManager.default.removeItem(at: actual)
                return nil
            } catch { return "\(name): cannot record: \(error)" }
        }
        guard let expected = try? Data(contentsOf: file) else {
            try? data.write(to: actual, options: .atomic)
            return "\(name): there is no golden file; look at \(actual.lastPathComponent), record it if it is right"
        }
        guard expected != data else {
            try? FileManager.default.removeItem(at: actual)
            return nil
        }
        try? data.write(to: actual, options: .atomic)
        return "\(name) differs:\n" + difference(expected)
    }

    private static var isRecording: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["CHAINVIEW_RECORD"] == "1" && environment["CI"] == nil
    }

    private static func difference(_ expected: String, _ actual: String) -> String {
        let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let new = actual.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [String] = []
        for index in 0..<max(old.count, new.count) where lines.count < 20 {
            let left = index < old.count ? String(old[index]) : "(nothing)"
            let right = index < new.count ? String(new[index]) : "(nothing)"
            if left != right { lines += ["\(index + 1) - \(left)", "\(index + 1) + \(right)"] }
        }
        return lines.joined(separator: "\n")
    }
}

// SPDX-License-Identifier: MIT
