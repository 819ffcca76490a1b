import ChainRows
import Frames

/// Whether the details of the selected row are shown.
public enum DetailVisibility: String, Hashable, Sendable, CaseIterable {
    /// Where there is room for them beside the rows.
    case auto
    /// Wherever there is room.
    case open
    /// Not until they are asked for.
    case closed
}

/// The user's settings, for the next session; nil leaves a setting as it is.
public struct ViewSettings: Hashable, Sendable {
    /// Which view is shown.
    public var view: ViewID?
    /// Whether details are.
    public var detail: DetailVisibility?
    /// Their width beside the rows; 0 for the usual.
    public var detailColumns: Int?
    /// Their height below the rows; 0 for the usual.
    public var detailRows: Int?
    /// The filter as it was typed; empty for none.
    public var filter: String?
    /// Whether what it does not find is dimmed rather than hidden.
    public var dims: Bool?
    /// The order of the tree.
    public var order: TreeOrder?
    /// The columns of the tree, from left to right.
    public var columns: [TreeColumn]?
    /// The name of a theme.
    public var theme: String?
    /// Frames a second.
    public var refreshRate: Int?
    /// Call sites, `Module/File.swift:31`, of nodes that come folded.
    public var folded: [String]?

    /// Leaves everything as it is.
    public init() {}

    /// Whether every setting is nil.
    public var isEmpty: Bool { self == ViewSettings() }

    /// Returns these settings, replaced by those of `other` that are not nil.
    public func overlaid(with other: ViewSettings) -> ViewSettings { merged(with: [other], by: Overlay()) }

    /// Returns the settings to store after a session that began with `start` and ended with `end`; these are the stored
    /// ones, and `base` holds without them. A setting that did not change stays stored; one that was set to its value in
    /// `base` is no longer stored.
    public func after(start: ViewSettings, end: ViewSettings, base: ViewSettings) -> ViewSettings {
        merged(with: [start, end, base], by: After())
    }

    /// Calls a rule for each field.
    private func merged(with others: [ViewSettings], by rule: some Rule) -> ViewSettings {
        var result = self
        func merge<Value: Equatable>(_ field: WritableKeyPath<ViewSettings, Value?>) {
            result[keyPath: field] = rule.pick(self[keyPath: field], others.map { $0[keyPath: field] })
        }
        merge(\.view)
        merge(\.detail)
        merge(\.detailColumns)
        merge(\.detailRows)
        merge(\.filter)
        merge(\.dims)
        merge(\.order)
        merge(\.columns)
        merge(\.theme)
        merge(\.refreshRate)
        merge(\.folded)
        return result
    }

    private protocol Rule {
        func pick<Value: Equatable>(_ own: Value?, _ others: [Value?]) -> Value?
    }

    private struct Overlay: Rule {
        func pick<Value: Equatable>(_ own: Value?, _ others: [Value?]) -> Value? { others[0] ?? own }
    }

    private struct After: Rule {
        func pick<Value: Equatable>(_ own: Value?, _ others: [Value?]) -> Value? {
            let (start, end, base) = (others[0], others[1], others[2])
            return end == start ? own : end == base ? nil : end
        }
    }
}

extension ViewSettings {
    /// What differs from other settings, in words; of both every field is set.
    func words(since usual: ViewSettings) -> [String] {
        var words: [String] = []
        if view != usual.view, let view { words.append(view.title) }
        if let order, let old = usual.order, order != old {
            if order.column != old.column || order.isInverted != old.isInverted {
                words.append("sorted by \(order.column.rawValue)" + (order.isInverted ? ", reversed" : ""))
            }
            if order.isGrouped != old.isGrouped {
                words.append(order.isGrouped ? "grouped by call site" : "not grouped")
            }
        }
        if let columns, columns != usual.columns {
            words.append("columns " + columns.map(\.rawValue).joined(separator: " "))
        }
        if let filter, filter != usual.filter { words.append(filter.isEmpty ? "no filter" : "filter “\(filter)”") }
        if detail != usual.detail { words.append(detail == .open ? "details open" : "details closed") }
        if let theme, theme != usual.theme { words.append("theme \(theme)") }
        if let rate = refreshRate, rate != usual.refreshRate { words.append("\(rate) frames a second") }
        if let folded, folded != usual.folded, !folded.isEmpty {
            words.append("\(folded.count) call \(folded.count == 1 ? "site" : "sites") folded")
        }
        return words
    }
}

extension State {
    /// The settings in force; no field is nil.
    public var remembered: ViewSettings {
        var now = ViewSettings()
        now.view = view
        now.detail = wantsDetail.map { $0 ? .open : .closed } ?? .auto
        now.detailColumns = detailColumns ?? 0
        now.detailRows = detailRows ?? 0
        now.filter = filter.text
        now.dims = filter.dims
        now.order = order
        now.columns = columns
        now.theme = options.theme.name
        now.refreshRate = options.refreshRate
        now.folded = foldedSites
        return now
    }

    /// What the programs are called that were reached, in the order of their sources.
    public var programNames: [String] { programs.compactMap { $0.info?.name } }

    /// Applies settings of an earlier session and says so.
    mutating func resume(_ old: ViewSettings) {
        restore(old)
        let words = remembered.words(since: defaults)
        guard !words.isEmpty else { return }
        notify("as you left it: \(words.joined(separator: ", ")); :reset for the defaults")
    }

    /// Returns to the settings without those of the user.
    mutating func resetSettings() {
        let words = remembered.words(since: defaults)
        restore(defaults)
        notify(words.isEmpty ? "everything is as by default" : "back to the defaults")
    }

    /// Applies settings of an earlier session; settings that cannot be applied are ignored.
    mutating func restore(_ old: ViewSettings) {
        if let theme = old.theme.flatMap(Theme.named) { options.theme = theme }
        if let rate = old.refreshRate { options.refreshRate = Self.refreshRate(near: rate) }
        if let detail = old.detail { wantsDetail = detail == .auto ? nil : detail == .open }
        // Nothing starts with its rows covered.
        if Layout(self).isCovering { wantsDetail = nil }
        if let columns = old.detailColumns { detailColumns = columns > 0 ? columns : nil }
        if let rows = old.detailRows { detailRows = rows > 0 ? rows : nil }
        if let folded = old.folded {
            foldedSites = Array(folded.suffix(Self.foldedSiteLimit))
            for programIndex in programs.indices { programs[programIndex].setInitialFolds(initialFolds) }
        }
        if let wanted = old.order, wanted != order { setOrder(wanted) }
        if let wanted = old.columns { columns = TreeColumn.valid(wanted) }
        if let dims = old.dims { setDims(dims) }
        // A query that this version cannot read is none.
        if let text = old.filter, text != filter.text {
            if text.isEmpty { dropFilter() } else { try? filter(by: text) }
        }
        if let view = old.view { show(view) }
        updateViewport()
        revision += 1
    }
}
