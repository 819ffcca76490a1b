import ChainEvents

/// Events of invented programs, for several suites.
enum Demo {
    /// Returns a batch for each of four orders at a shop: one is done, one was declined, two are running.
    static func checkout() -> [Script] {
        let orders: [(UInt64, String, Double, Stage)] = [
            (100, "order 15", 1_000, .done), (200, "order 16", 2_200, .declined), (300, "order 17", 3_020, .checking),
            (400, "order 18", 3_900, .reserving),
        ]
        return orders.enumerated().map { index, order in
            var script = Script(sequence: UInt64(index + 1), time: order.2)
            Demo.order(&script, order.0, order.1, begin: order.2, until: order.3)
            return script
        }
    }

    /// Returns a batch of ``Script/billing`` with two invoices: one failed, one is running.
    static func billing() -> [Script] {
        var script = Script(time: 1_500, of: Script.billing)
        script.make(7, .promise, "invoice 7", site: "Billing/Invoice.swift:12")
        script.make(8, .then, "render", under: 7, site: "Billing/Invoice.swift:14")
        script.make(9, .then, "send", under: 8, site: "Billing/Invoice.swift:17")
        script.start(7, on: 1)
        script.at(1_520)
        script.fulfill(7)
        script.queue(8)
        script.start(8, on: 2)
        script.at(1_700)
        script.reject(8, "template is missing")
        script.skip(9, error: true)
        script.at(3_000)
        script.make(20, .promise, "invoice 8", site: "Billing/Invoice.swift:12")
        script.make(21, .then, "render", under: 20, site: "Billing/Invoice.swift:14")
        script.start(20, on: 1)
        script.at(3_010)
        script.fulfill(20)
        script.queue(21)
        script.start(21, on: 2)
        return [script]
    }

    enum Stage { case reserving, checking, declined, done }

    /// Adds the steps of an order up to a stage. Its nodes have the ids from `base` on.
    static func order(_ script: inout Script, _ base: UInt64, _ label: String, begin: Double, until stage: Stage) {
        script.at(begin)
        script.make(base, .promise, label, site: "Checkout/Checkout.swift:31")
        script.make(base + 1, .then, "reserve stock", under: base, site: "Checkout/Checkout.swift:33")
        script.make(base + 2, .then, "checks", under: base + 1, site: "Checkout/Checkout.swift:34")
        script.make(base + 3, .then, "charge card", under: base + 2, site: "Checkout/Checkout.swift:41")
        script.make(base + 4, .map, "write receipt", under: base + 3, site: "Checkout/Checkout.swift:44")
        script.make(base + 5, .anyway, "release stock", under: base + 4, site: "Checkout/Checkout.swift:46")
        script.make(base + 6, .failed, nil, under: base + 5, site: "Checkout/Checkout.swift:48")
        script.queue(base)
        script.at(begin + 0.2)
        script.start(base, on: 1)
        script.at(begin + 1)
        script.fulfill(base)
        script.queue(base + 1)
        script.at(begin + 1.3)
        script.start(base + 1, on: 2)
        guard stage != .reserving else { return }
        script.at(begin + 211)
        script.fulfill(base + 1, "2 × sku-9")
        script.queue(base + 2)
        script.at(begin + 212)
        script.start(base + 2, on: 2)
        script.make(base + 10, .work, "fraud score", by: base + 2, site: "Checkout/Checks.swift:12")
        script.make(base + 11, .work, "address lookup", by: base + 2, site: "Checkout/Checks.swift:20")
        script.make(base + 12, .work, "credit limit", by: base + 2, site: "Checkout/Checks.swift:28")
        script.make(base + 13, .all, "3 checks", by: base + 2, site: "Checkout/Checks.swift:35")
        for member in (base + 10)...(base + 12) { script.link(base + 13, member) }
        script.end(base + 2)
        script.adopt(base + 2, base + 13)
        for member in (base + 10)...(base + 12) { script.queue(member) }
        script.at(begin + 213)
        script.start(base + 10, on: 1)
        script.start(base + 11, on: 3)
        script.at(begin + 420)
        script.fulfill(base + 10, "0.12")
        script.start(base + 12, on: 1)
        guard stage != .checking else { return }
        script.at(begin + 500)
        script.fulfill(base + 11)
        script.fulfill(base + 12)
        script.fulfill(base + 13)
        script.fulfill(base + 2)
        script.queue(base + 3)
        script.at(begin + 500.4)
        script.start(base + 3, on: 3)
        script.at(begin + 800)
        if stage == .declined {
            script.reject(base + 3, "CardError.declined: the card has expired (06/25)")
            script.skip(base + 4, error: true)
        } else {
            script.fulfill(base + 3, "auth 7731")
            script.queue(base + 4)
            script.at(begin + 801)
            script.start(base + 4, on: 3)
            script.at(begin + 803)
            script.fulfill(base + 4)
        }
        script.queue(base + 5)
        script.at(begin + 804)
        script.start(base + 5, on: 2)
        script.at(begin + 805)
        if stage == .declined { script.reject(base + 5, "CardError.declined") } else { script.fulfill(base + 5) }
        script.at(begin + 806)
        if stage == .declined {
            script.queue(base + 6)
            script.start(base + 6, on: 2)
            script.at(begin + 807)
            script.reject(base + 6, "CardError.declined")
        } else {
            script.skip(base + 6)
        }
    }
}

// SPDX-License-Identifier: MIT
