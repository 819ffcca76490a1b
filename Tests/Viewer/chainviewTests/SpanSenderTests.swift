import Foundation
import Testing

@testable import chainview

/// The parts of `chainview export --otlp` below the command.
struct SpanSenderTests {
    private static let begin = ContinuousClock.now

    /// Sends requests of ten spans to scripted answers; returns the counts, the waits between the requests in seconds,
    /// and how many answers are left.
    ///
    /// - Parameters:
    ///   - delay: how long each answer takes.
    ///   - interrupt: when a signal comes.
    private func send(
        _ answers: [Result<HTTPReply, HTTPFailure>], requests: Int = 1, givesUp: Bool = false, delay: Duration = .zero,
        interrupt: Duration? = nil
    ) -> (counts: SpanSender.Counts, waits: [Double], left: Int, time: Duration) {
        var (answers, waits): ([Result<HTTPReply, HTTPFailure>], [Double]) = (answers, [])
        var now = Self.begin
        var slept: UInt64 = 0
        let limit = SendLimit(
            isInterrupted: { interrupt.map { now - Self.begin >= $0 } ?? false }, clock: { now })
        var sender = SpanSender(
            limit, givesUp: givesUp,
            post: { _ throws(HTTPFailure) in
                if slept > 0 { waits.append(Double(slept) / 1e9) }
                slept = 0
                now = min(now + delay, limit.deadline)
                return answers.isEmpty ? HTTPReply(status: 200) : try answers.removeFirst().get()
            },
            sleep: {
                slept += $0
                now += .nanoseconds(Int64($0))
            })
        for _ in 0..<requests { sender.send("{}", 10) }
        return (sender.counts, waits, answers.count, now - Self.begin)
    }

    @Test func whatFailsIsRetriedWithBackOff() {
        let gone = HTTPFailure(description: "gone")
        let (counts, waits, _, _) = send([.failure(gone), .success(HTTPReply(status: 503)), .failure(gone)])
        #expect(counts == .init(accepted: 10) && waits == [0.5, 1, 2])
        // Six attempts are made; the next request is tried once, until one gets through.
        let all = send(Array(repeating: .failure(gone), count: 7), requests: 3)
        #expect(all.counts == .init(accepted: 10, undelivered: 20, reason: "gone") && all.waits.count == 5)
    }

    /// A collector that takes requests and never answers.
    @Test func aSilentCollectorIsWaitedForOnlyOnce() {
        let silence = [Result<HTTPReply, HTTPFailure>](
            repeating: .failure(HTTPFailure(description: "silent", progress: .uncertain)), count: 100)
        let all = send(silence, requests: 20, givesUp: true, delay: .seconds(10))
        #expect(all.counts == .init(undelivered: 200, reason: "silent") && all.left == 95)
        #expect(all.time <= .seconds(60), "\(all.time)")
        // A program is followed on, because the collector may come back.
        #expect(send(silence, requests: 20, delay: .seconds(10)).left == 76)
    }

    @Test func aSignalEndsTheAttempts() {
        let gone = HTTPFailure(description: "gone")
        let all = send(
            Array(repeating: .failure(gone), count: 9), requests: 3, delay: .seconds(10),
            interrupt: .milliseconds(10_200))
        #expect(all.counts == .init(undelivered: 30, reason: "gone") && all.time <= .milliseconds(11_300), "\(all)")
        // The rest is still sent to a collector that answers.
        #expect(send([], requests: 3, interrupt: .zero).counts == .init(accepted: 30))
    }

    /// A later request that is accepted after a retry does not change the reason.
    @Test func theReasonIsThatOfWhatWasNotAccepted() {
        let (busy, broken) = (HTTPReply(status: 503), HTTPReply(status: 400))
        let counts = send([.success(broken), .success(busy)], requests: 3).counts
        #expect(counts == .init(accepted: 20, rejected: 10, reason: "the collector answered 400"))
    }

    @Test func theHeaderRetryAfterIsHonoured() {
        let busy = HTTPReply(status: 429, headers: ["retry-after": "7"])
        #expect(send([.success(busy)]).waits == [7])
        let never = HTTPReply(status: 503, headers: ["retry-after": "3600"])
        let (counts, waits, _, _) = send([.success(never)])
        #expect(counts.undelivered == 10 && waits == [] && counts.reason == "the collector answered 503")
        let date = HTTPReply(status: 503, headers: ["retry-after": "Tue, 29 Oct 2024 16:56:32 GMT"])
        let now = Date(timeIntervalSince1970: 1_730_220_990)
        #expect(SpanSender.verdict(on: date, now: now) == .later("the collector answered 503", delay: 2_000_000_000))
    }

    @Test func whatIsRefusedIsCounted() {
        let partial = HTTPReply(
            status: 200, body: Array(#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#.utf8))
        let broken = HTTPReply(status: 400, body: Array(#"{"code":3,"message":"no spans"}"#.utf8))
        let (counts, waits, _, _) = send([.success(partial), .success(broken)], requests: 3)
        #expect(counts == .init(accepted: 17, rejected: 13, reason: "the collector answered 400 (no spans)"))
        #expect(waits == [])
        #expect(
            counts.sentence(to: "http://c")
                == "sent 17 spans to http://c, 13 were not accepted: the collector answered 400 (no spans).")
    }

    @Test func addressesAreRead() throws {
        #expect(try CollectorURL("http://127.0.0.1:4318").path == "/v1/traces")
        let far = try CollectorURL("HTTP://[::1]/in?x=1")
        #expect(far.host == "::1" && far.port == 4318 && far.path == "/in?x=1" && far.authority == "[::1]:4318")
        for text in [
            "x", "http://", "http://:80", "http://a:0", "http://a:99999", "http://a b", "http://u@h", "https://h",
        ] {
            #expect(throws: CollectorURL.Invalid.self, "\(text)") { try CollectorURL(text) }
        }
    }

    @Test func answersAreReadByteByByte() throws {
        let texts = [
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", 200, "{}"),
            ("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n", 503, "abcd"),
            ("HTTP/1.0 204 None\r\n\r\n", 204, ""),
            ("HTTP/1.1 200 OK\r\nContent-Length:\t 2 \t \r\nServer: \r\n\r\n{}", 200, "{}"),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Taken\r\ncontent-length: 1\r\n\r\n-", 202, "-"),
        ]
        for (text, status, body) in texts {
            var reader = HTTPReplyReader()
            for (index, byte) in text.utf8.enumerated() {
                #expect(reader.reply == nil && reader.isEmpty == (index == 0), "\(text.prefix(index))")
                try reader.append([byte])
            }
            #expect(reader.reply?.status == status && reader.reply?.body == Array(body.utf8))
        }
        var reader = HTTPReplyReader()
        try reader.append("HTTP/1.1 200 OK\r\n\r\nrest".utf8)
        #expect(reader.reply == nil)
        reader.end()
        #expect(reader.reply?.body == Array("rest".utf8) && reader.reply?.endsConnection == true)
    }
    @Test(arguments: ["SSH-2.0\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"])
    func whatIsNoAnswerIsRefused(_ text: String) {
        var reader = HTTPReplyReader()
        #expect(throws: HTTPFailure(description: "its answer is no HTTP", progress: .uncertain)) {
            try reader.append(text.utf8)
        }
    }

    @Test func lostEventsAreInTheClosingSentence() {
        let counts = SpanSender.Counts(accepted: 17, rejected: 1, reason: "old", lostEvents: 1_200)
        #expect(
            counts.sentence(to: "http://c")
                == "sent 17 spans to http://c, 1 was not accepted: old; 1,200 events were lost.")
        #expect(
            SpanSender.Counts(accepted: 1, lostEvents: 1).sentence(to: "x")
                == "sent 1 span to x; 1 event was lost.")
    }
}

// SPDX-License-Identifier: MIT
