import PromiseRuntime

/// One order on its way through the warehouse.
struct Order {
    let number: Int
    let bank: Bank

    /// Reserves the goods, then packs them while the bank is charged; returns the receipt.
    func fulfil() async throws -> String {
        try await withChain("order \(number)") {
            let shelf = try await reserve().value
            return try await Promise.all(pack(from: shelf), bank.charge(order: number), cancellingLosers: true)
                .map(label: "receipt") { parcel, payment in "\(parcel), \(payment)\n" }
                .value
        }
    }

    private func reserve() -> Promise<String> {
        Promise.delay(.milliseconds(120), label: "reserve").map(label: "shelf") { "shelf \(number % 40)" }
    }

    private func pack(from shelf: String) -> Promise<String> {
        Promise.delay(.milliseconds(400), label: "pack").map(label: "parcel") { "parcel from \(shelf)" }
    }
}

// SPDX-License-Identifier: MIT
