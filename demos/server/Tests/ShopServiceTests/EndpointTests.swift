import Foundation
import ShopService
import Testing

/// The answers of each endpoint.
@Suite(.timeLimit(.minutes(5)))
struct EndpointTests {
    @Test(arguments: [
        ("/healthz", 200, #"{"chains":0,"status":"ok"}"#),
        ("/stock/kettle", 200, #"{"said":"12 kettle on the shelf"}"#),
        ("/stock/globe", 409, "sold out: globe"),
        ("/stock/moon", 404, #"there is no \"moon\" in the catalogue"#),
        ("/fraud/17", 200, #"{"said":"fraud score 0.1597442626953125"}"#),
        ("/fraud/0", 400, "an order is a number from 1 to 999999"),
        ("/order/x", 400, "an order is a number from 1 to 999999"),
        ("/wait?ms=1", 200, #"{"milliseconds":1}"#),
        ("/wait?ms=-1", 400, "ms is a number from 0 to 600000"),
        ("/report?mb=0", 400, "mb is a number from 1 to"),
        ("/broken?how=so", 400, "how is causes, abandoned or any"),
        ("/moon", 404, "there is no /moon here"),
    ])
    func answers(_ path: String, _ status: Int, _ holds: String) async throws {
        try await Running.server { running in
            let answer = try await running.get(path)
            #expect(answer.status == status)
            #expect(answer.contentType == "application/json")
            #expect(answer.text.contains(holds), "\(answer.text)")
            #expect(!answer.fields.isEmpty)
        }
    }

    @Test func anOrderIsPricedCheckedAndSealed() async throws {
        // A long limit, for a busy machine.
        try await Running.server(patience: .seconds(120)) { running in
            let answer = try await running.get("/order/17")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.fields["cents"] as? Int == 3 * 7900 + 3 * 8450)
            #expect(answer.fields["seal"] as? String == "e20547834433883d")
            #expect(
                answer.fields["checks"] as? [String] == [
                    "3 ladder on the shelf", "6 rucksack on the shelf", "fraud score 0.1597442626953125",
                ])
        }
    }

    @Test func aReportAddsUpTheYear() async throws {
        try await Running.server { running in
            let answer = try await running.get("/report?mb=1")
            #expect(answer.status == 200, "\(answer.text)")
            #expect((answer.fields["months"] as? [Any])?.count == 12)
            #expect(answer.fields["soldCount"] as? Int == 1233)
        }
    }

    /// On a very busy machine, the shelf may be what does not answer in time.
    @Test func anOrderDoesNotWaitForASlowBureau() async throws {
        try await Running.server { running in
            let answer = try await running.get("/order/75")
            #expect(answer.status == 504, "\(answer.text)")
            #expect((answer.fields["error"] as? String)?.hasSuffix(" did not answer") == true)
            #expect(answer.fields["causes"] as? [String] == ["timed out after 1.0 seconds"])
        }
    }

    @Test(arguments: [
        ("causes", 500, "invoice 99 cannot be written", 2),
        ("abandoned", 500, "abandoned: the resolver of the promise", 0),
        ("any", 500, "all 3 failed, the last with: west does not deliver", 3),
    ])
    func brokenReportsTheReason(_ how: String, _ status: Int, _ error: String, _ causeCount: Int) async throws {
        try await Running.server { running in
            let answer = try await running.get("/broken?how=\(how)")
            #expect(answer.status == status)
            #expect((answer.fields["error"] as? String)?.hasPrefix(error) == true, "\(answer.text)")
            #expect((answer.fields["causes"] as? [String] ?? []).count == causeCount)
            #expect((answer.fields["node"] as? Int ?? 0) > 0)
        }
    }

    @Test func aHundredAtOnceAreAllAnswered() async throws {
        try await Running.server { running in
            // The possible answers under load: good, fraud, sold out, busy, late.
            let expected: [String: Set<Int>] = [
                "/order/": [200, 403, 409, 429, 504], "/stock/kettle?": [200], "/broken?": [500], "/wait?ms=": [200],
                "/healthz?": [200],
            ]
            let kinds = expected.keys.sorted()
            let answers = try await withThrowingTaskGroup(of: (String, Answer).self) { group in
                for number in 1...100 {
                    let kind = kinds[number % kinds.count]
                    group.addTask { (kind, try await running.get("\(kind)\(number)")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 100)
            for (kind, answer) in answers {
                #expect(expected[kind]?.contains(answer.status) == true, "\(kind) \(answer)")
            }
            // Other requests of a failed order may still be pending; wait until they end.
            try await running.eventually("the end of every chain") { running.server.chainCount == 0 ? () : nil }
        }
    }
}

// SPDX-License-Identifier: MIT
