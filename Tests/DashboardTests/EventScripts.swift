import ChainEvents

/// Stories that several tests are told.
enum Demo {
    /// Orders at a shop: one that is done, one that was declined, two under way; a batch each.
    static func checkout() -> [Script] {
        let orders: [(UInt64, String, Double, Stage)] = [
            (100, "order 15", 1_000, .done), (200, "order 16", 2_200, .declined), (300, "order 17", 3_020, .checking),
            (400, "order 18", 3_900, .reserving),
        ]
        return orders.enumerated().map { place, order in
            var script = Script(sequence: UInt64(place + 1), time: order.2)
            Demo.order(&script, order.0, order.1, begin: order.2, until: order.3)
            return script
        }
    }

    /// Invoices of ``Script/billing``: one that failed, one under way.
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

    /// The same steps for each order, as far as it came.
    static func order(_ s: inout Script, _ base: UInt64, _ label: String, begin: Double, until stage: Stage) {
        s.at(begin)
        s.make(base, .promise, label, site: "Checkout/Checkout.swift:31")
        s.make(base + 1, .then, "reserve stock", under: base, site: "Checkout/Checkout.swift:33")
        s.make(base + 2, .then, "checks", under: base + 1, site: "Checkout/Checkout.swift:34")
        s.make(base + 3, .then, "charge card", under: base + 2, site: "Checkout/Checkout.swift:41")
        s.make(base + 4, .map, "write receipt", under: base + 3, site: "Checkout/Checkout.swift:44")
        s.make(base + 5, .anyway, "release stock", under: base + 4, site: "Checkout/Checkout.swift:46")
        s.make(base + 6, .failed, nil, under: base + 5, site: "Checkout/Checkout.swift:48")
        s.queue(base)
        s.at(begin + 0.2)
        s.start(base, on: 1)
        s.at(begin + 1)
        s.fulfill(base)
        s.queue(base + 1)
        s.at(begin + 1.3)
        s.start(base + 1, on: 2)
        guard stage != .reserving else { return }
        s.at(begin + 211)
        s.fulfill(base + 1, "2 × sku-9")
        s.queue(base + 2)
        s.at(begin + 212)
        s.start(base + 2, on: 2)
        s.make(base + 10, .work, "fraud score", by: base + 2, site: "Checkout/Checks.swift:12")
        s.make(base + 11, .work, "address lookup", by: base + 2, site: "Checkout/Checks.swift:20")
        s.make(base + 12, .work, "credit limit", by: base + 2, site: "Checkout/Checks.swift:28")
        s.make(base + 13, .all, "3 checks", by: base + 2, site: "Checkout/Checks.swift:35")
        for member in (base + 10)...(base + 12) { s.link(base + 13, member) }
        s.end(base + 2)
        s.adopt(base + 2, base + 13)
        for member in (base + 10)...(base + 12) { s.queue(member) }
        s.at(begin + 213)
        s.start(base + 10, on: 1)
        s.start(base + 11, on: 3)
        s.at(begin + 420)
        s.fulfill(base + 10, "0.12")
        s.start(base + 12, on: 1)
        guard stage != .checking else { return }
        s.at(begin + 500)
        s.fulfill(base + 11)
        s.fulfill(base + 12)
        s.fulfill(base + 13)
        s.fulfill(base + 2)
        s.queue(base + 3)
        s.at(begin + 500.4)
        s.start(base + 3, on: 3)
        s.at(begin + 800)
        if stage == .declined {
            s.reject(base + 3, "CardError.declined: the card has expired (06/25)")
            s.skip(base + 4, error: true)
        } else {
            s.fulfill(base + 3, "auth 7731")
            s.queue(base + 4)
            s.at(begin + 801)
            s.start(base + 4, on: 3)
            s.at(begin + 803)
            s.fulfill(base + 4)
        }
        s.queue(base + 5)
        s.at(begin + 804)
        s.start(base + 5, on: 2)
        s.at(begin + 805)
        if stage == .declined { s.reject(base + 5, "CardError.declined") } else { s.fulfill(base + 5) }
        s.at(begin + 806)
        if stage == .declined {
            s.queue(base + 6)
            s.start(base + 6, on: 2)
            s.at(begin + 807)
            s.reject(base + 6, "CardError.declined")
        } else {
            s.skip(base + 6)
        }
    }
}
