import ChainSystem
import ChainText
import Foundation

/// Sends requests with spans to a collector: repeats what can be repeated, and counts what was not accepted.
struct SpanSender {
    /// What became of spans.
    struct Counts: Hashable {
        var accepted = 0
        /// Refused by the collector.
        var rejected = 0
        /// Never delivered.
        var undelivered = 0
        /// Why the last span that was not accepted was not.
        var reason: String?
        /// Events that the program or the way from it lost, so that their nodes may be no spans.
        var lostEvents: UInt64 = 0
    }

    /// Attempts for one request, and how long they may wait in total.
    private static let attemptLimit = 6
    private static let waitLimit: UInt64 = 60_000_000_000

    var counts = Counts()
    private let post: (String) throws(HTTPFailure) -> HTTPReply
    private let pause: (_ nanoseconds: UInt64) -> Bool
    /// Whether the last request was not delivered: the next one is tried once only.
    private var isDown = false

    /// - Parameters:
    ///   - post: sends a request, and returns the answer.
    ///   - pause: waits; returns false to end the attempts.
    init(
        post: @escaping (String) throws(HTTPFailure) -> HTTPReply, pause: @escaping (_ nanoseconds: UInt64) -> Bool
    ) {
        self.post = post
        self.pause = pause
    }

    /// Sends a request; returns when its spans are accepted, or no further attempt is made.
    mutating func send(_ request: String, _ spanCount: Int) {
        var backoff = ExponentialBackoff(first: 500_000_000, limit: 8_000_000_000)
        var waited: UInt64 = 0
        for attempt in 1...Self.attemptLimit {
            var wait = backoff.next()
            do throws(HTTPFailure) {
                let reply = try post(request)
                switch Self.verdict(on: reply, now: Date()) {
                case .accepted(let rejected, let reason): return note(spanCount, rejected: rejected, reason)
                case .refused(let reason): return note(spanCount, rejected: spanCount, reason)
                case .later(let reason, let delay):
                    counts.reason = reason
                    wait = max(wait, delay ?? 0)
                }
            } catch { counts.reason = error.description }
            waited += wait
            guard attempt < Self.attemptLimit, !isDown, waited <= Self.waitLimit, pause(wait) else { break }
        }
        counts.undelivered += spanCount
        isDown = true
    }

    private mutating func note(_ spanCount: Int, rejected: Int, _ reason: String?) {
        isDown = false
        let rejected = min(max(0, rejected), spanCount)
        counts.accepted += spanCount - rejected
        counts.rejected += rejected
        if rejected > 0 {
            counts.reason = reason ?? "without a reason"
        } else if counts.rejected + counts.undelivered == 0 {
            counts.reason = nil
        }
    }

    // MARK: Answers

    /// What an answer means.
    enum Verdict: Hashable {
        case accepted(rejected: Int, reason: String?)
        case refused(String)
        /// To be repeated, after a delay in nanoseconds if the collector named one.
        case later(String, delay: UInt64?)
    }

    /// Judges an answer by the rules of OTLP: 429, 502, 503 and 504 are repeated.
    static func verdict(on reply: HTTPReply, now: Date) -> Verdict {
        let object = try? JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
        switch reply.status {
        case 200...299:
            let partial = object?["partialSuccess"] as? [String: Any]
            let count = partial?["rejectedSpans"]
            let rejected = (count as? Int) ?? (count as? String).flatMap { Int($0) } ?? 0
            return .accepted(rejected: rejected, reason: partial?["errorMessage"] as? String)
        case 429, 502, 503, 504:
            return .later("it answered \(reply.status)", delay: delay(reply.headers["retry-after"], now: now))
        default:
            let message = object?["message"] as? String
            return .refused("it answered \(reply.status)" + (message.map { " (\($0))" } ?? ""))
        }
    }

    /// Reads the header `Retry-After`: seconds, or a date of HTTP.
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
    /// All in one sentence: `sent 1,204 spans to URL, 3 were not accepted: it answered 400; 12 events were lost in the program.`
    func sentence(to url: String) -> String {
        var text = "sent \(CountText.counted(accepted, "span")) to \(url)"
        let count = rejected + undelivered
        if count > 0 {
            text +=
                ", \(CountText.grouped(count)) \(Self.was(count)) not accepted: \(reason ?? "no reason is known")"
        }
        let lost = Int(clamping: lostEvents)
        if lost > 0 { text += "; \(CountText.counted(lost, "event")) \(Self.was(lost)) lost in the program" }
        return text + "."
    }

    private static func was(_ count: Int) -> String { count == 1 ? "was" : "were" }
}
