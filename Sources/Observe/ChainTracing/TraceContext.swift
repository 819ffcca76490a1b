// SPDX-License-Identifier: MIT

#if Tracing
    import ChainEvents

    /// The identity of a span across processes: W3C Trace Context, level 1.
    ///
    ///     traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
    ///                  └ version, trace id                 └ span id        └ flags
    struct TraceContext: Hashable, Sendable {
        /// The id of the trace: two halves of a number of 128 bits that is not 0.
        var traceHigh: UInt64, traceLow: UInt64
        /// The id of the span; not 0.
        var span: UInt64
        /// Whether the caller may have recorded the trace.
        var isSampled: Bool
        /// The `tracestate`: data of other tracers, which is passed on.
        var state: String?

        /// The names of the headers.
        static let parentHeader = "traceparent", stateHeader = "tracestate"

        /// Makes the identity of a trace's first span.
        static func root() -> TraceContext {
            TraceContext(
                traceHigh: .random(in: .min ... .max), traceLow: .random(in: 1 ... .max),
                span: .random(in: 1 ... .max), isSampled: true, state: nil)
        }

        /// Makes the identity of a span in the same trace.
        func child() -> TraceContext {
            var child = self
            child.span = .random(in: 1 ... .max)
            return child
        }

        /// The header that names this span as the parent. Level 1 allows no flag but *sampled*.
        var header: String { "00-\(traceText)-\(spanText)-\(isSampled ? "01" : "00")" }

        var traceText: String { Self.hex(traceHigh) + Self.hex(traceLow) }
        var spanText: String { Self.hex(span) }

        private static func hex(_ number: UInt64) -> String { String(hexadecimal: number, digits: 16) }
    }

    // The member of `tracestate` that names a node: `chainview=1f3a5c7e9b2d4f60-2a`.
    extension TraceContext {
        private static let member = "chainview="
        /// The maximum number of members of a `tracestate` (section 3.3.1.1).
        private static let memberLimit = 32

        /// The span's node in another process; nil if ``state`` names no node.
        var node: NodeKey? {
            let members = Self.members(of: state).filter { $0.hasPrefix(Self.member) }
            return members.first.flatMap { NodeKey(text: $0.dropFirst(Self.member.count)) }
        }

        /// Returns a `tracestate` in which the member that names a node comes first, because a changed member has to
        /// come first (section 3.5). Other members beyond ``memberLimit`` are dropped.
        static func state(_ state: String?, naming node: NodeKey) -> String {
            let others = members(of: state).filter { !$0.hasPrefix(member) }
            return ([Substring(member + node.text)] + others.prefix(memberLimit - 1)).joined(separator: ",")
        }

        private static func members(of state: String?) -> [Substring] {
            func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
            return (state ?? "").split(separator: ",").map { member in
                let end = member.lastIndex { !isBlank($0) }.map { member.index(after: $0) } ?? member.startIndex
                return member[..<end].drop(while: isBlank)
            }
        }
    }

    extension TraceContext {
        private static let length = 55
        private static let dash = UInt8(ascii: "-")

        /// Parses a `traceparent`; nil for a header that receivers have to ignore (specification, section 3.2.2). In a
        /// header of a later version, it parses the fields of version 00.
        init?(header: String) {
            let bytes = Array(header.utf8)
            guard bytes.count >= Self.length, let version = Self.number(bytes[0..<2]), version != 0xff,
                [2, 35, 52].allSatisfy({ bytes[$0] == Self.dash })
            else { return nil }
            let hasMore = bytes.count > Self.length
            guard !hasMore || (version != 0 && bytes[Self.length] == Self.dash) else { return nil }
            guard let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
                let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
            else { return nil }
            self.init(traceHigh: high, traceLow: low, span: span, isSampled: flags & 1 != 0, state: nil)
        }

        /// Parses hexadecimal digits; nil unless all are lower-case, as the specification demands.
        private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
            var number: UInt64 = 0
            for digit in digits {
                switch digit {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
                case UInt8(ascii: "a")...UInt8(ascii: "f"):
                    number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
                default: return nil
                }
            }
            return number
        }
    }
#endif
