// SPDX-License-Identifier: MIT

import ChainRows
import Frames

/// Whether the details of the selected row are shown.
package enum DetailVisibility: String, Hashable, Sendable, CaseIterable {
    /// Shown only where there is room beside the rows.
    case auto
    /// Shown beside or below the rows; on a screen without room for both, in place of the rows.
    case open
    /// Not shown until the user opens them.
    case closed

    fileprivate var words: String {
        switch self {
        case .auto: "details where there is room"
        case .open: "details open"
        case .closed: "details closed"
        }
    }
}

/// The user's settings, as saved for the next session; nil leaves a setting as it is.
package struct ViewSettings: Hashable, Sendable {
    /// The view that is shown.
    package var view: ViewID?
    /// Whether the detail pane is shown.
    package var detail: DetailVisibility?
    /// The width of the detail pane beside the rows, in columns; 0 for the default.
    package var detailColumns: Int?
    /// The height of the detail pane below the rows, in rows; 0 for the default.
    package var detailRows: Int?
    /// The filter as it was typed; empty for none.
    package var filter: String?
    /// Whether rows that do not match the filter are dimmed rather than hidden.
    package var dims: Bool?
    /// The order of the tree.
    package var order: TreeOrder?
    /// The columns of the tree, from left to right.
    package var columns: [TreeColumn]?
    /// The name of a theme.
    package var theme: String?
    /// The maximum number of frames per second.
    package var refreshRate: Int?
    /// Call sites, such as `Module/File.swift:31`; nodes made there appear folded.
    package var folded: [String]?

    /// Makes settings that leave everything as it is.
    package init() {}

    /// Whether every setting is nil.
    package var isEmpty: Bool { self == ViewSettings() }

    /// Returns the settings of `other`; a setting that is nil in `other` is taken from the receiver.
    package func overlaid(with other: ViewSettings) -> ViewSettings { merged(with: [other], by: Overlay()) }

    /// Returns the settings to store after a session that began with `start` and ended with `end`; the receiver holds
    /// the settings stored so far. A setting that did not change in the session stays as stored. `base` holds the
    /// settings that apply if none are stored; a setting that the session changed to its value in `base` is no longer
    /// stored.
    package func after(start: ViewSettings, end: ViewSettings, base: ViewSettings) -> ViewSettings {
        merged(with: [start, end, base], by: After())
    }

    /// Returns settings in which `rule` has picked each field from these settings and `others`.
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

    /// See ``after(start:end:base:)``.
    private struct After: Rule {
        func pick<Value: Equatable>(_ own: Value?, _ others: [Value?]) -> Value? {
            let (start, end, base) = (others[0], others[1], others[2])
            return end == start ? own : end == base ? nil : end
        }
    }
}

extension ViewSettings {
    /// Returns words for each setting that differs from `usual`, but none for an empty list of folded call sites.
    /// Neither the receiver nor `usual` may have a field that is nil.
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
            if order.sortsSiblings != old.sortsSiblings {
                words.append(order.sortsSiblings ? "siblings sorted" : "siblings in program order")
            }
        }
        if let columns, columns != usual.columns {
            words.append("columns " + columns.map(\.rawValue).joined(separator: " "))
        }
        if let filter, filter != usual.filter { words.append(filter.isEmpty ? "no filter" : "filter “\(filter)”") }
        if let dims, dims != usual.dims { words.append(dims ? "the rest dimmed" : "the rest hidden") }
        if let detail, detail != usual.detail { words.append(detail.words) }
        if detailColumns != usual.detailColumns || detailRows != usual.detailRows { words.append("details resized") }
        if let theme, theme != usual.theme { words.append("theme \(theme)") }
        if let rate = refreshRate, rate != usual.refreshRate { words.append("\(rate) frames a second") }
        if let folded, folded != usual.folded, !folded.isEmpty {
            words.append("\(folded.count) call \(folded.count == 1 ? "site" : "sites") folded")
        }
        return words
    }
}
