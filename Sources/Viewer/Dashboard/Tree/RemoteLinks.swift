// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

// Calls between programs: a node names the node of another program that it was called from (`remoteParent`). Where both
// programs are attached, the user can go from one node to the other by rows, details and the keyboard.

extension ProgramLookup {
    /// Returns the caller of a node in another program. Nil if the node names no caller, or if the caller's program is
    /// not attached or its forest does not have the caller.
    func caller(of node: NodeIndex, in programIndex: Int) -> (programIndex: Int, node: NodeIndex)? {
        programs[programIndex].forest.remoteParent(of: node).flatMap(find)
    }

    fileprivate func find(_ key: NodeKey) -> (programIndex: Int, node: NodeIndex)? {
        guard let index = programs.firstIndex(where: { $0.info?.key == key.process }) else { return nil }
        return programs[index].forest.index(of: key.id).map { (index, $0) }
    }

    /// Returns the nodes of other programs that were called from a node, at most `limit`.
    func called(from node: NodeIndex, in programIndex: Int, limit: Int) -> [(programIndex: Int, node: NodeIndex)] {
        guard programs.count > 1, let process = programs[programIndex].info?.key else { return [] }
        let key = NodeKey(process: process, id: programs[programIndex].forest.id(of: node))
        var called: [(programIndex: Int, node: NodeIndex)] = []
        for index in programs.indices where index != programIndex && called.count < limit {
            called += programs[index].forest.nodes(withRemoteParent: key).prefix(limit - called.count).map {
                (index, $0)
            }
        }
        return called
    }

    /// Returns the caller of a node in words, such as `shop: fetch stock`, or `remote #7` if the caller is
    /// not found. Nil if the node names no caller.
    func callerWords(of node: NodeIndex, in programIndex: Int) -> String? {
        guard let key = programs[programIndex].forest.remoteParent(of: node) else { return nil }
        return find(key).map(words) ?? "remote \(key.id)"
    }

    fileprivate func words(for place: (programIndex: Int, node: NodeIndex)) -> String {
        // The program is not bound to a name, because that copies it, and each drawn row calls this.
        let name = NodeText.name(of: place.node, in: programs[place.programIndex].forest)
        return "\(programs[place.programIndex].shownName): \(name)"
    }
}

extension ProgramLookup {
    /// Adds to a node's details its caller in another program, and the nodes of other programs that the node called.
    func addRemoteLinks(of node: NodeIndex, in programIndex: Int, to text: inout DetailWriter) {
        if let words = callerWords(of: node, in: programIndex) {
            add("called from", caller(of: node, in: programIndex), words, to: &text)
        }
        let limit = NodeFacts.linkLimit
        let called = called(from: node, in: programIndex, limit: limit + 1)
        for (number, callee) in called.prefix(limit).enumerated() {
            add(number == 0 ? "calls" : "", callee, words(for: callee), to: &text)
        }
        if called.count > limit { text.field("", "and more") }
    }

    private func add(
        _ name: String, _ place: (programIndex: Int, node: NodeIndex)?, _ words: String, to text: inout DetailWriter
    ) {
        guard let place else { return text.field(name, words) }
        text.addNode(
            name, words, programs[place.programIndex].forest.state(of: place.node),
            link: rowID(of: place.node, in: place.programIndex))
    }
}

extension ViewContext {
    /// Continues a path into another program, if the path's last node runs, is suspended or waits for its resolver.
    /// Goes to a live node that the last node called, and on along the path of the called node. Returns false if there
    /// is no such node.
    mutating func goToCalled(from path: BlockerPath, in programIndex: Int) -> Bool {
        guard [.running, .suspended, .continuation, .group, .resolver].contains(path.last.blocker.reason) else {
            return false
        }
        let called = called(from: path.last.node, in: programIndex, limit: .max)
        guard let next = called.first(where: { world.programs[$0.programIndex].forest.state(of: $0.node).isLive })
        else {
            return false
        }
        let here = BlockerDescription(glyphs: options.glyphs, now: world.programs[programIndex].shownNow)
        let there = BlockerDescription(glyphs: options.glyphs, now: world.programs[next.programIndex].shownNow)
        let forest = world.programs[next.programIndex].forest
        let rest = BlockerPath(from: next.node, in: forest)
        var words = here.path(path.steps, in: world.programs[programIndex].forest) + " \(options.glyphs.right) "
        if let cycleStart = rest.cycleStart {
            words +=
                "\(world.programs[next.programIndex].shownName): " + there.cycle(rest.steps[cycleStart...], in: forest)
            reveal(next.node, in: next.programIndex)
        } else {
            words += "\(world.programs[next.programIndex].shownName): " + there.path(rest.steps, in: forest) + ": "
            words += there.reason(rest.last, in: forest)
            reveal(rest.last.node, in: next.programIndex)
        }
        notify(words, rest.cycleStart == nil ? .plain : .warning, isSticky: true)
        return true
    }
}
