import PromiseRuntime

/// The answer of `/report`.
struct Report: Codable, Sendable {
    var months: [Month]
    var soldCount: Int

    struct Month: Codable, Sendable {
        var month: String
        var soldCount: Int
        var bestSeller: String
        /// The hash of the month's lines, in hexadecimal digits.
        var seal: String
    }
}

extension Shop {
    /// Adds up a year of sales, and seals each month, two at a time; `megabytes` sets how much work a seal is.
    func report(megabytes: Int) -> Promise<Report> {
        read("sales.csv")
            .map(label: "parse", on: PoolExecutor.shared) { try sales(rows($0)) }
            .then(label: "months") { sales in
                let months = sales.keys.sorted()
                return Promise.sequence(months, concurrency: 2, label: "\(months.count) months") { month in
                    total(month, sales[month] ?? [], megabytes)
                }
            }
            .map(label: "together") { months in
                Report(months: months, soldCount: months.reduce(0) { $0 + $1.soldCount })
            }
    }

    private func total(_ month: String, _ sales: [Sale], _ megabytes: Int) -> Promise<Report.Month> {
        .scope(month) {
            let counts = Dictionary(sales.map { ($0.sku, $0.count) }, uniquingKeysWith: +)
            let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
            return seal(sales.map(\.line).joined(separator: "\n"), megabytes: megabytes, on: press)
                .map(label: "total") { hash in
                    Report.Month(
                        month: month, soldCount: counts.values.reduce(0, +), bestSeller: best,
                        seal: String(hash, radix: 16))
                }
        }
    }

    private func sales(_ rows: [[Substring]]) throws -> [String: [Sale]] {
        let sales = try rows.map { fields in
            guard fields.count == 3, let count = Int(fields[2]) else {
                throw Refusal(.internalServerError, "sales.csv has a bad line: \(fields.joined(separator: ","))")
            }
            return Sale(
                month: String(fields[0].prefix(7)), sku: String(fields[1]), count: count,
                line: fields.joined(separator: ","))
        }
        return Dictionary(grouping: sales, by: \.month)
    }
}

private struct Sale: Sendable {
    var month: String
    var sku: String
    var count: Int
    var line: String
}

// SPDX-License-Identifier: MIT
