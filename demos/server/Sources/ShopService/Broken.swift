import PromiseRuntime

extension Shop {
    /// Fails in one of three ways; each looks different in the viewer.
    func broken(_ how: String) throws -> Promise<String> {
        switch how {
        case "causes": invoice()
        case "abandoned": forgotten()
        case "any": noSupplier()
        default:
            throw Refusal(.badRequest, "how is causes, abandoned or any, not \(how.debugDescription)")
        }
    }

    /// A file is missing. Each handler wraps the error in its own; later value handlers are skipped.
    private func invoice() -> Promise<String> {
        read("prices-2031.csv")
            .catch(label: "price list") { error in
                throw Refusal(.internalServerError, "there is no price list for 2031", cause: error)
            }
            .map(label: "print it") { "invoice 99: \($0)" }
            .catch(label: "invoice 99") { error in
                throw Refusal(.internalServerError, "invoice 99 cannot be written", cause: error)
            }
    }

    /// The resolver is released unused, which rejects the promise.
    private func forgotten() -> Promise<String> {
        let (answer, _) = Promise<String>.pending(label: "the supplier's answer")
        return answer
    }

    /// Asks three suppliers; all of them fail.
    private func noSupplier() -> Promise<String> {
        .any(
            ["north", "south", "west"].map { supplier in
                Promise.delay(.milliseconds(10), label: "call \(supplier)").map(label: supplier) {
                    throw Refusal(.badGateway, "\(supplier) does not deliver")
                }
            }, label: "3 suppliers")
    }
}

// SPDX-License-Identifier: MIT
