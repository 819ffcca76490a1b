import Foundation
import PromiseRuntime

/// The state that all requests share.
struct Shop: Sendable {
    let desk: Desk
    /// The time that an order waits for an answer.
    let patience: Duration
    /// The time that the fraud bureau takes for a hard case.
    let hardCase: Duration
    /// A pool for files, because reading blocks.
    let readers = PoolExecutor(name: "files", width: 4)
    /// A pool for reports, because a large one takes minutes and would hold up orders on the shared pool.
    let press = PoolExecutor(name: "press", width: 2)
    let bureau = Bureau()

    /// Reads a data file of the package.
    func read(_ name: String) -> Promise<String> {
        Promise(label: "read \(name)", on: readers) {
            guard let folder = Bundle.module.url(forResource: "Data", withExtension: nil) else {
                throw Refusal(.internalServerError, "the package's Data folder is not where it was built")
            }
            do {
                return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            } catch {
                throw Refusal(.internalServerError, "\(name): \(error.localizedDescription)")
            }
        }
    }

    /// Reads the shop's goods, by name.
    func catalogue() -> Promise<[String: Article]> {
        read("catalogue.csv").map(label: "parse", on: PoolExecutor.shared) { text in
            let articles = try rows(text).map { fields in
                guard fields.count == 3, let cents = Int(fields[1]), let stock = Int(fields[2]) else {
                    throw Refusal(
                        .internalServerError, "catalogue.csv has a bad line: \(fields.joined(separator: ","))")
                }
                return Article(sku: String(fields[0]), cents: cents, stock: stock)
            }
            return Dictionary(articles.map { ($0.sku, $0) }) { _, last in last }
        }
    }

    /// Hashes a text repeatedly, some `megabytes` in all, as work for the processor. Ends early if cancelled.
    func seal(_ text: String, megabytes: Int, on pool: PoolExecutor = .shared) -> Promise<UInt64> {
        Promise(label: "hash \(megabytes) MB", on: pool) {
            var hash = FNV1a()
            let bytes = Array(text.utf8)
            var left = megabytes << 20
            while left > 0, !bytes.isEmpty {
                if ChainRuntime.isCancelled { throw CancellationError() }
                hash.add(bytes)
                left -= bytes.count
            }
            return hash.value
        }
    }
}

/// One line of the catalogue.
struct Article: Sendable {
    var sku: String
    var cents: Int
    var stock: Int
}

/// Returns the fields of a file's lines, without the header.
func rows(_ text: String) -> [[Substring]] {
    text.split(separator: "\n").dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
}

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo): detects accidental changes, not forgery.
struct FNV1a: Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}

// SPDX-License-Identifier: MIT
