import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames

/// What the view of sites is at.
struct SitesView {
    var cursor = ListCursor()
    var sort = SiteSort()
    /// In order, as of the last second.
    var rows: [SiteRow] = []
    /// The row that keys act on, once somebody has moved; before that it is the first.
    var selected: SiteRow.ID?
    /// What the rows were made of.
    fileprivate var source: Source?

    fileprivate struct Source: Equatable {
        var generations: [UInt64]
        var programs: [ProcessKey?]
        var filter: String
        var sort: SiteSort
    }

    var selectedRow: SiteRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension State {
    /// Call sites are counted when somebody sees them: all in their view, elsewhere that of the node in the detail pane.
    mutating func countSitesIfSeen() {
        let seen = view == .sites || Layout(self).detail == nil ? nil : selectedNode
        for programIndex in programs.indices {
            guard let forest = programs[programIndex].forest else { continue }
            var demand = view == .sites ? SitesInsight.Demand.all : .nothing
            if let seen, seen.programIndex == programIndex {
                let node = forest.node(seen.node)
                demand = .one(SiteKey(site: node.site, kind: node.kind))
            }
            programs[programIndex].insight.sites.show(demand, forest, wall: wall)
        }
    }

    /// Finds the rows anew.
    mutating func arrangeSites() {
        let source = SitesView.Source(
            generations: programs.map(\.insight.sites.generation), programs: processKeys, filter: filter.text,
            sort: sites.sort)
        if source != sites.source {
            sites.source = source
            sites.rows = siteRows()
            if let selected = sites.selected, let row = sites.rows.firstIndex(where: { $0.id == selected }) {
                sites.cursor.moveSelection(to: row)
            }
        }
        sites.cursor.resize(sites.rows.count, height: viewHeight)
        // A row that went leaves its place to the next.
        if sites.selected != nil { sites.selected = sites.selectedRow?.id }
    }

    private func siteRows() -> [SiteRow] {
        let query = filter.query
        var rows: [SiteRow] = []
        for (programIndex, program) in programs.enumerated() {
            guard let forest = program.forest, program.insight.sites.isReady, let table = program.insight.sites.table
            else { continue }
            for key in table.keys {
                let site = forest.sites[key.site]
                guard let statistics = table.statistics(key), query?.mayFind(site: site, kind: key.kind) ?? true else {
                    continue
                }
                let id = SiteRow.ID(process: NodeKey(process: forest.process, id: .none), key: key)
                rows.append(
                    SiteRow(
                        id: id, programIndex: programIndex, program: program.shownName, site: site,
                        statistics: statistics))
            }
        }
        return rows.sorted { $0.precedes($1, by: sites.sort) }
    }

    /// Another row was selected; it stands for no single node.
    mutating func didSelectInSites() {
        if sites.selected != sites.selectedRow?.id { detailScroll = 0 }
        sites.selected = sites.selectedRow?.id
    }

    /// Does what only this view does; nil where it is done as everywhere.
    mutating func performInSites(_ intent: Intent) -> [Effect]? {
        switch intent {
        case .visit: visitSite()
        case .sort: sortSitesByNext()
        case .invertSort:
            sites.sort.isInverted.toggle()
            saySiteSort()
        case .cancelNode, .cancelChain, .tag, .why: say("these rows are call sites; Enter shows the nodes of one")
        case .nextMatch, .previousMatch: say("all rows match; Enter shows the nodes of one, and n goes through them")
        case .copy: return copySite()
        case .copyTree: say("a call site has no tree; y copies its figures, Enter shows its nodes")
        case .edit: return editSite()
        default: return nil
        }
        return []
    }

    mutating func visitSite() {
        guard let row = sites.selectedRow else { return say(whyEmpty) }
        guard row.id.key != .others else { return say("these are many call sites, too many to be told apart") }
        let text = Query.text(site: row.site, kind: row.id.key.kind)
        show(.chains)
        do {
            try filter(by: text)
            if matchCount == 0, !isScanning { say("none of its nodes is kept any more; Esc drops the filter") }
        } catch {
            say("\(NodeText.safe(text)): \(error)", .warning)
        }
    }

    private mutating func copySite() -> [Effect] {
        guard let row = sites.selectedRow else {
            say(whyEmpty)
            return []
        }
        say("copied \(NodeText.safe(row.name))")
        return [.copy(SiteDetail.line(row))]
    }

    private mutating func editSite() -> [Effect] {
        guard let site = sites.selectedRow?.site, !site.fileID.isEmpty else {
            say("its call site is not known")
            return []
        }
        return [.openEditor(site)]
    }

    // MARK: Sorting

    private mutating func sortSitesByNext() {
        let shown = SiteColumn.spans(width: Layout(self).tree.columns, hasPrograms: showsPrograms).map(\.column)
        let next = shown.firstIndex(of: sites.sort.column).map { ($0 + 1) % shown.count } ?? 0
        sort(sitesBy: shown[next])
    }

    private mutating func sort(sitesBy column: SiteColumn) {
        if sites.sort.column == column {
            sites.sort.isInverted.toggle()
        } else {
            sites.sort = SiteSort(column: column)
        }
        saySiteSort()
    }

    private mutating func saySiteSort() {
        let order =
            switch (sites.sort.column.isText, sites.sort.isAscending) {
            case (true, true): "from A"
            case (true, false): "from Z"
            case (false, true): "the least first"
            case (false, false): "the most first"
            }
        say("sorted by \(sites.sort.column.words), \(order)")
        updateViewport()
    }

    /// A click on the heads of the columns.
    mutating func clickSiteHead(column: Int) {
        let spans = SiteColumn.spans(width: Layout(self).tree.columns, hasPrograms: showsPrograms)
        // The gap before a head, where its mark stands, is its own.
        guard let hit = spans.first(where: { column < $0.span.start + $0.span.width }), column >= hit.span.start - 2
        else { return }
        sort(sitesBy: hit.column)
    }

    /// A number that changes when the passing of time alone changes the picture: it never does.
    var sitesStep: UInt64 { 0 }
}
