import ChainEvents
import ChainListing
import ChainModel
import Foundation
import GoldenSupport
import Testing

@testable import ChainExport

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The formats that show one moment.
struct PictureTests {
    /// Returns the last moment of ``shop()``.
    static func moment(limit: Int = .max, isLiveOnly: Bool = false) -> Moment {
        let batches = shop()
        let listing = TreeListing(isLiveOnly: isLiveOnly, nodeLimit: limit)
        return Moment(forest(batches), of: .test, at: batches[3].time, listing: listing, clockOffset: 0)
    }

    private static func text(_ write: (Moment, TextOutput) throws -> Void) throws -> String {
        let written = Written()
        try write(moment(), written.output)
        return written.text
    }

    @Test func thePicturesAreStable() throws {
        for (name, text) in [
            ("shop-mermaid", try Self.text { try MermaidExport($0).write(to: $1) }),
            ("shop-dot", try Self.text(DOTExport.write)),
            ("shop-svg", try Self.text { try SVGExport($0).write(to: $1) }),
            ("shop-html", try Self.text(HTMLExport.write)),
        ] {
            #expect(Golden.complaint(about: text, named: name) == nil)
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !(0..<0x20).contains($0.value) }, "\(name)")
        }
    }

    /// Swift joins the letter and the `<` after it into one character.
    @Test func aLetterBeforeATagDoesNotHideIt() throws {
        let label = "\u{D4E}</script><script>alert(1)</script>"
        var script = ScriptedBatches()
        script.make(1, .promise, label)
        script.close()
        let moment = Moment(
            forest(script.batches), of: .test, at: script.time, listing: TreeListing(), clockOffset: 0)
        let written = Written()
        try HTMLExport.write(moment, to: written.output)
        #expect(written.text.utf8.split(separator: UInt8(ascii: "<")).count { $0.starts(with: "script".utf8) } == 2)
        #expect(written.text.contains("u003c/script"))
    }

    @Test func liveChainsComeFirstThenNewOnes() {
        let all = Self.moment()
        #expect(all.nodeCount == 12 && all.leftOutCount == 0 && all.chains.count == 4)
        func roots(_ limit: Int) -> [UInt64] {
            let moment = Self.moment(limit: limit)
            #expect(moment.nodeCount <= limit && moment.leftOutCount == 12 - moment.nodeCount)
            return moment.chains.map { moment.forest.id(of: $0[0].node).rawValue }
        }
        #expect(roots(3) == [20] && roots(4) == [20, 30] && roots(6) == [10, 20, 30] && roots(2) == [20])
        #expect(Self.moment(isLiveOnly: true).nodeCount == 3)
        #expect(Self.moment(limit: 3).title == "shop 4242 at 22:13:21.019: 4 chains, 12 nodes, 3 live, 9 not shown")
    }

    @Test func hostileTextsStayTexts() throws {
        let label = try #require(
            MermaidExport.escaped(hostile).isEmpty ? nil : MermaidExport.escaped("a\"b`c%%{}[]|<#;"))
        #expect(label == "a#34;b#96;c#37;#37;#123;#125;#91;#93;#124;#60;#35;#59;")
        #expect(DOTExport.quoted(["a\"\\N&lt;", "b"]) == #""a\"\\N&amp;lt;\nb""#)
        #expect(MarkupText.escaped("<a href='x\"&\u{0}\u{1B}\u{FFFE}") == "&lt;a href=&#39;x&quot;&amp;���")
        let picture = try Self.text { try SVGExport($0).write(to: $1) }
        #expect(!picture.contains("</script>") && !picture.contains("<b>"))
        let parser = XMLParser(data: Data(picture.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }

    @Test func aPageIsOneFileInWhichNothingIsFetched() throws {
        let page = try Self.text(HTMLExport.write)
        // The hostile texts begin and end no element: two scripts, one style.
        #expect(page.components(separatedBy: "</script>").count == 3 && page.components(separatedBy: "<b>").count == 1)
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("src="))
        #expect(page.contains("default-src 'none'") && !page.contains("unsafe-inline"))
        let data = try #require(page.firstMatch(of: /id="data">(.*)<\/script>/)).1
        let object = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        let nodes = try #require(object["nodes"] as? [[String: Any]])
        #expect(nodes.count == 12 && nodes.contains { $0["label"] as? String == hostile })
        let sites = try #require(object["sites"] as? [[String: Any]])
        #expect(sites.compactMap { $0["total"] as? Int }.reduce(0, +) == 12)
    }

    /// Views without rows of nodes have nothing to choose. ExportProof presses the keys in a browser.
    @Test func keysScrollTheTablesOfThePage() throws {
        let page = try Self.text(HTMLExport.write)
        let move = try #require(page.components(separatedBy: "function move(rows) {").dropFirst().first)
        #expect(move.prefix(200).contains("view.scrollTop += "))
    }

    /// The hashes in the policy are those of what stands in the page; after a change the failure shows the new ones.
    @Test func thePolicyNamesTheScriptOfThePage() throws {
        #expect(sha256("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        let page = try Self.text(HTMLExport.write)
        func content(_ tag: String) throws -> String {
            let rest = try #require(page.components(separatedBy: "<\(tag)>").dropFirst().first)
            return try #require(rest.components(separatedBy: "</\(tag)>").first)
        }
        let (style, script) = (sha256(try content("style")), sha256(try content("script")))
        #expect(style == HTMLExport.styleHash)
        #expect(script == HTMLExport.scriptHash)
        #expect(page.contains("script-src 'sha256-\(HTMLExport.scriptHash)';"))
    }

    @Test func anEmptyMomentIsDrawn() throws {
        let empty = Moment(
            forest([]), of: .test, at: 5, listing: TreeListing(), clockOffset: 0)
        let written = Written()
        try SVGExport(empty).write(to: written.output)
        try DOTExport.write(empty, to: written.output)
        try MermaidExport(empty).write(to: written.output)
        try HTMLExport.write(empty, to: written.output)
        #expect(written.text.contains("0 chains"))
    }

    /// Mermaid refuses more than 500 edges and 50,000 characters.
    @Test func aFlowchartKeepsWithinWhatMermaidDraws() {
        var script = ScriptedBatches()
        // Chains of six nodes, with five edges each.
        for chain in 0..<200 as Range<UInt64> {
            for node in chain * 6 + 1...chain * 6 + 6 {
                if node == chain * 6 + 1 {
                    script.make(node, .promise, "order \(chain)")
                } else {
                    script.make(node, .then, under: node - 1)
                }
            }
        }
        script.close()
        func chart(_ script: ScriptedBatches, limit: Int) -> MermaidExport {
            MermaidExport(
                Moment(
                    forest(script.batches), of: .test, at: script.time, listing: TreeListing(nodeLimit: limit),
                    clockOffset: 0))
        }
        func edges(_ chart: MermaidExport) -> Int { chart.text.split(separator: "\n").count { $0.contains("-> n") } }
        let many = chart(script, limit: 1_200)
        #expect(many.moment.nodeCount + many.moment.leftOutCount == 1_200 && many.text.utf16.count <= 50_000)
        #expect((400...500).contains(edges(many)) && many.text.hasPrefix("%% shop 4242"))
        #expect(many.text.contains("\(many.moment.leftOutCount) not shown") && many.leftOutLinkCount == 0)

        // Long texts, of which each character takes four.
        var long = ScriptedBatches()
        for node in 1...400 as ClosedRange<UInt64> { long.make(node, .promise, String(repeating: "#", count: 100)) }
        long.close()
        let wide = chart(long, limit: 400)
        #expect((40_000...50_000).contains(wide.text.utf16.count) && wide.moment.leftOutCount > 100)
    }

    @Test func linksGoBeforeNodes() {
        var script = ScriptedBatches()
        for node in 1...40 as ClosedRange<UInt64> { script.make(node, .promise) }
        for group in 100..<120 as Range<UInt64> {
            script.make(group, .all)
            for node in 1...40 as ClosedRange<UInt64> { script.member(group, node) }
        }
        script.close()
        let chart = MermaidExport(
            Moment(forest(script.batches), of: .test, at: script.time, listing: TreeListing(), clockOffset: 0))
        let links = chart.moment.links.count
        #expect(chart.moment.leftOutCount == 0 && links > 500 && chart.leftOutLinkCount >= links - 500)
        #expect(chart.text.split(separator: "\n").count { $0.contains(" .-> n") } == links - chart.leftOutLinkCount)
        #expect(chart.text.hasPrefix("%% \(chart.leftOutLinkCount) links not shown\n"))
    }
}

// SPDX-License-Identifier: MIT
