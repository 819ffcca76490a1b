// SPDX-License-Identifier: MIT

import ChainSystem
import ChainText
import Foundation

/// A sender of requests with spans to a collector. It repeats a request that got no answer, or an answer after which
/// OTLP allows a retry. It counts how many spans were accepted, rejected or not delivered.
struct SpanSender {
    /// How many spans were accepted and how many were not.
    struct Counts: Hashable {
        var accepted = 0
        /// Refused by the collector.
        var rejected = 0
        /// Neither accepted nor refused in any attempt.
        var undelivered = 0
        /// The reason for the last rejected or undelivered span.
        var reason: String?
        /// Lost events; their nodes may be missing among the spans.
        var lostEvents: UInt64 = 0
    }

    /// The maximum number of attempts for one request.
    private static let attemptLimit = 6

    var counts = Counts()
    private let limit: SendLimit
    private let givesUp: Bool
    private let post: (String) throws(HTTPFailure) -> HTTPReply
    private let sleep: (_ nanoseconds: UInt64) -> Void
    /// Whether the last request was not delivered: the next request is then tried only once, or not at all.
    private var isDown = false

    /// - Parameters:
    ///   - limit: ends the attempts.
    ///   - givesUp: whether nothing more is sent once a request was not delivered. Otherwise the collector may come back.
    ///   - post: sends a request, and returns the answer.
    ///   - sleep: waits.
    init(
        _ limit: SendLimit, givesUp: Bool, post: @escaping (String) throws(HTTPFailure) -> HTTPReply,
        sleep: @escaping (_ nanoseconds: UInt64) -> Void
    ) {
        (self.limit, self.givesUp, self.post, self.sleep) = (limit, givesUp, post, sleep)
    }

    /// Sends a request; returns when the collector has accepted or refused its spans, or when no further attempt is
    /// made.
    mutating func send(_ request: String, _ spanCount: Int) {
        guard !(isDown && givesUp), !limit.isOver else {
            counts.undelivered += spanCount
            counts.reason = counts.reason ?? "the time was over"
            return
        }
        limit.beginRequest()
        var backoff = ExponentialBackoff(first: 500_000_000, limit: 8_000_000_000)
        var lastReason: String?
        for attempt in 1...Self.attemptLimit {
            var wait = backoff.next()
            do throws(HTTPFailure) {
                let reply = try post(request)
                switch Self.verdict(on: reply, now: Date()) {
                case .accepted(let rejected, let reason): return note(spanCount, rejected: rejected, reason)
                case .refused(let reason): return note(spanCount, rejected: spanCount, reason)
                case .later(let reason, let delay):
                    lastReason = reason
                    wait = max(wait, delay ?? 0)
                }
            } catch { lastReason = error.description }
            guard attempt < Self.attemptLimit, !isDown, limit.pause(wait, sleep: sleep) else { break }
        }
        counts.undelivered += spanCount
        counts.reason = lastReason
        isDown = true
    }

    private mutating func note(_ spanCount: Int, rejected: Int, _ reason: String?) {
        isDown = false
        let rejected = min(max(0, rejected), spanCount)
        counts.accepted += spanCount - rejected
        counts.rejected += rejected
        if rejected > 0 { counts.reason = reason ?? "the collector gave no reason" }
    }

    // MARK: Answers

    /// The meaning of an answer.
    enum Verdict: Hashable {
        case accepted(rejected: Int, reason: String?)
        case refused(String)
        /// The request is to be retried, after at least `delay` nanoseconds if the collector named a delay.
        case later(String, delay: UInt64?)
    }

    /// Returns the meaning of an answer by the rules of OTLP: 429, 502, 503 and 504 are retried.
    static func verdict(on reply: HTTPReply, now: Date) -> Verdict {
        let object = try? JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
        switch reply.status {
        case 200...299:
            let partial = object?["partialSuccess"] as? [String: Any]
            let count = partial?["rejectedSpans"]
            let rejected = (count as? Int) ?? (count as? String).flatMap { Int($0) } ?? 0
            return .accepted(rejected: rejected, reason: partial?["errorMessage"] as? String)
        case 429, 502, 503, 504:
            return .later(
                "the collector answered \(reply.status)", delay: delay(reply.headers["retry-after"], now: now))
        default:
            let message = object?["message"] as? String
            return .refused("the collector answered \(reply.status)" + (message.map { " (\($0))" } ?? ""))
        }
    }

    /// Reads the header `Retry-After`: seconds, or an HTTP date.
    private static func delay(_ header: String?, now: Date) -> UInt64? {
        guard let header else { return nil }
        if let seconds = UInt64(header) { return min(seconds, 86_400) * 1_000_000_000 }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = format.date(from: header) else { return nil }
        return UInt64(max(0, min(86_400, date.timeIntervalSince(now))) * 1_000_000_000)
    }
}

extension SpanSender.Counts {
    /// Returns the counts as one sentence:
    /// `sent 1,204 spans to URL, 3 were not accepted: the collector answered 400; 12 events were lost.`
    func sentence(to url: String) -> String {
        var text = "sent \(CountText.counted(accepted, "span")) to \(url)"
        let count = rejected + undelivered
        if count > 0 {
            text +=
                ", \(CountText.grouped(count)) \(Self.was(count)) not accepted: \(reason ?? "no reason is known")"
        }
        let lost = Int(clamping: lostEvents)
        if lost > 0 { text += "; \(CountText.counted(lost, "event")) \(Self.was(lost)) lost" }
        return text + "."
    }

    private static func was(_ count: Int) -> String { count == 1 ? "was" : "were" }
}
