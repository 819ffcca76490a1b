import ChainEvents
import ChainModel
import Testing

@testable import ChainWire

/// The article agrees with the code: its tables of numbers are the enumerations, its offsets are those of the fields,
/// and its example decodes as described.
struct ArticleTests {
    private let article: Article

    init() throws { article = try Article() }

    /// Returns the names in the table with these first column headings, by number.
    private func names(_ headings: String...) throws -> [UInt64: String] {
        let table = try #require(
            headings.count == 1 ? article.table(headings[0]) : article.table(headings[0], headings[1]))
        return Dictionary(uniqueKeysWithValues: table.map { ($0.number, $0.cells[0]) })
    }

    private func names<Kind: RawRepresentable>(of kinds: [Kind]) -> [UInt64: String]
    where Kind.RawValue: FixedWidthInteger {
        Dictionary(uniqueKeysWithValues: kinds.map { (UInt64($0.rawValue), "\($0)") })
    }

    @Test func itsNumbersAreThoseOfTheCode() throws {
        #expect(try names("kind", "message") == names(of: MessageKind.allCases))
        #expect(try names("purpose") == names(of: [ClientHello.Purpose.watch, .look, .command]))
        #expect(
            try names("reason") == names(of: [Goodbye.Reason.stopped, .refused, .busy, .misunderstood, .other]))
        #expect(try names("resync") == names(of: ResyncMark.allCases))
        #expect(try names("kind", "event") == names(of: EventKind.allCases))
        #expect(try names("system wait") == names(of: SystemWait.allCases))
        #expect(try names("wait target") == names(of: WaitTarget.allCases))
        #expect(try names("section") == names(of: BatchSection.allCases))
        #expect(try names("link kind") == names(of: [LinkKind.adoption, .member]))
        #expect(try names("settlement") == names(of: (0...7).compactMap { Settlement(rawValue: $0) }))
        #expect(try names("request") == names(of: RequestKind.allCases))
        #expect(try names("outcome") == names(of: OutcomeKind.allCases))
        #expect(
            Settlement(rawValue: 8) == nil && LinkKind(rawValue: 3) == nil && ClientHello.Purpose(rawValue: 4) == nil)
    }

    @Test func itsKindsOfNodesAreThoseOfTheCode() throws {
        let table = try #require(article.table("node kind"))
        #expect(table.map(\.number) == NodeKind.allCases.map { UInt64($0.rawValue) })
        for (row, kind) in zip(table, NodeKind.allCases) {
            #expect(row.cells[0] == kind.word)
            #expect(row.cells[1].hasPrefix("\(kind.role)"))
        }
    }

    @Test func itsBitsAreThoseOfTheCode() throws {
        #expect(try Set(names("event flag").keys) == bits(of: "EventFlags"))
        let ownMarks: Set = [
            UInt64(SnapshotMark.isExternal), UInt64(SnapshotMark.cancelRequested), UInt64(SnapshotMark.isSeparate),
        ]
        #expect(try Set(names("mark").keys) == bits(of: "SnapshotFlags").union(ownMarks))
        let facts = try bits(of: "TaskFacts").map { $0 << 8 }
        #expect(
            try Set(names("capability").keys)
                == bits(of: "Capabilities").union(facts).union([
                    UInt64(readOnlyBit), UInt64(flightRecorderMask & 1 << 16), UInt64(flightRecorderMask & 1 << 17),
                    UInt64(outsideBit),
                ]))
    }

    /// Returns the named bits of an option set, from the sources, because the type does not list them.
    private func bits(of type: String) throws -> Set<UInt64> {
        let pattern = try Regex(#"static let \w+ = \#(type)\(rawValue: (\d+)\)"#, as: (Substring, Substring).self)
        let bits = try Article.sources(of: ["ChainEvents", "ChainWire"]).matches(of: pattern).compactMap {
            UInt64($0.1)
        }
        try #require(bits.count > 2)
        return Set(bits)
    }

    @Test func itsNumbersOfBytesAreThoseOfTheCode() throws {
        let magic = Wire.magic.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        #expect(article.text.contains("magic: `\(magic)`"))
        let (toProgram, toViewer) = (Wire.viewerMessageLimit, Wire.programMessageLimit)
        #expect(article.text.contains("payloads of \(toProgram) bytes at most, viewers of \(toViewer)"))
        #expect(article.text.contains("a preamble of \(Wire.preambleSize) bytes"))
        #expect(article.text.contains("This version sends\n\(Wire.version) and \(Wire.oldestVersion)."))
        #expect(article.text.contains("bytes of one event, at least \(Wire.eventSize)"))
        #expect(article.text.contains("all that follows counted in; at least \(Wire.nodeSize)"))
    }

    /// Each offset is where the field before it ends.
    @Test(arguments: [
        "Preamble", "Message", "Greeting (kind 1)", "Hello (kind 2)", "Farewell (kind 6)", "Batch (kind 3)", "Event",
        "Node", "Command (kind 4)", "Reply (kind 5)",
    ])
    func itsOffsetsFollowFromItsTypes(heading: String) {
        let rows = article.fields(below: heading)
        #expect(rows.count > 2)
        let sizes = ["u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "3 bytes": 3, "8 bytes": 8]
        var offset: Int? = 0
        for row in rows {
            #expect(row.offset == offset.map { "\($0)" } ?? "…", "\(heading): \(row.field)")
            offset = offset.flatMap { offset in sizes[row.type].map { offset + $0 } }
        }
    }

    /// Each optional field of a node, alone in it, has the position and length of the table.
    @Test func itsFieldsOfNodesAreThoseOfTheCode() throws {
        let table = try #require(article.table("field bit"))
        #expect(table.map(\.number) == Array(0...18))
        for row in table {
            let value: [UInt8] =
                switch row.cells[0] {
                case "u64": LaterVersion.bytes(UInt64(77))
                case "u64, u64": LaterVersion.bytes(UInt64(77)) + LaterVersion.bytes(UInt64(77))
                case "text": LaterVersion.text("text")
                default: LaterVersion.bytes(UInt32(1)) + LaterVersion.bytes(UInt64(77))
                }
            var batch = EventBatch(process: Samples.process, sequence: 1, time: 1)
            batch.nodes = [NodeSnapshot(id: NodeID(1), kind: .all)]
            var bytes = try stream([.batch(batch)])
            bytes += value
            let size = UInt8(32 + value.count)
            bytes[Wire.preambleSize] += UInt8(value.count)
            bytes.replaceSubrange(120..<128, with: [size, 0, 0, 0] + LaterVersion.bytes(UInt32(1) << row.number))
            guard case .batch(let read) = try #require(messages(of: bytes).first) else { return #expect(Bool(false)) }
            #expect(
                read.nodes.first?.fieldName == String(row.cells[1].prefix { $0 != ":" && $0 != "," }),
                "bit \(row.number)")
        }
    }

    @Test func theExampleDecodesAsDescribed() throws {
        let dumps = article.dumps()
        try #require(dumps.count == 2)
        let greeting = ClientHello(purpose: .watch, pid: 4243, name: "ada")
        #expect(try messages(of: dumps[0]) == [.greeting(greeting)])
        #expect(try stream([.greeting(greeting)]) == dumps[0])

        let decodedMessages = try messages(of: dumps[1])
        #expect(try stream(decodedMessages) == dumps[1])
        try #require(decodedMessages.count == 2)
        guard case .hello(let hello) = decodedMessages[0], case .batch(let batch) = decodedMessages[1] else {
            Issue.record("not a hello and a batch")
            return
        }
        #expect(hello.process.name == "checkout")
        var forest = ChainForest(process: hello.process.key)
        forest.apply(batch)
        #expect(forest.drawn() == article.lastBlock)
    }
}

extension NodeSnapshot {
    /// The name, as in the article, of the only optional field that is set.
    fileprivate var fieldName: String? {
        let numbers: [(String, UInt64)] = [
            ("parent", parent.rawValue), ("creator", creator.rawValue), ("adopted", adopted.rawValue),
            ("since when it follows", adoptedAt), ("created", created), ("queued", queued), ("started", started),
            ("ended", ended), ("settled", settled), ("seen", seen),
            ("when its cancellation was asked for", cancelRequestedAt), ("members", members.first?.rawValue ?? 0),
            ("since when they are members", memberTimes.first ?? 0), ("count of renamings", renameCount),
            ("its parent in another process (event 21)", remoteParent?.process.rawValue ?? 0),
            ("switched", switched),
        ]
        let texts = [("label", label), ("the requester of its cancellation", canceller)]
        let summaries = [("summary of its error or cancellation", summary)]
        let set =
            numbers.filter { $0.1 != 0 }.map { $0.1 == 77 ? $0.0 : "?" }
            + (texts + summaries).filter { $0.1 != nil }.map { $0.1 == "text" ? $0.0 : "?" }
        return set.count == 1 ? set[0] : nil
    }
}

// SPDX-License-Identifier: MIT
