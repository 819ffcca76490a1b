// SPDX-License-Identifier: MIT

/// The manual page in roff, with the macros of man(7).
struct ManualPage {
    private(set) var text = ""
    private let root: ToolInfo.Command

    init(_ info: ToolInfo) {
        root = info.command
        write()
    }

    private mutating func write() {
        line(".TH CHAINVIEW 1 \"\" \"chainview \(Version.text)\" \"User Commands\"")
        // Hyphenation and justification are turned off, because the page is read on a terminal.
        line(".nh")
        line(".ad l")
        section("NAME")
        line("chainview \\- \(escaped(lowered(root.abstract)))")
        section("SYNOPSIS")
        for command in root.commands { synopsis(command) }
        section("DESCRIPTION")
        discussion(Chainview.introduction)
        section("OPTIONS")
        paragraph("Without a command:")
        arguments(root.shown)
        arguments(common.filter { !root.shown.contains($0) })
        section("COMMANDS")
        for command in root.commands {
            line(".SS \"chainview \(escaped(command.commandName))\"")
            paragraph(command.abstract ?? "")
            discussion(command.discussion)
            arguments(own(command))
            if takesCommon(command) { paragraph("The options above apply, too.") }
        }
        for chapter in Reference.all { self.chapter(chapter) }
    }

    // MARK: Parts

    private mutating func synopsis(_ command: ToolInfo.Command) {
        line(".SY chainview")
        var words = [escaped(command.commandName)]
        if command.shown.contains(where: { $0.kind != "positional" && !root.shown.contains($0) }) {
            words.append("[\\fIoptions\\fR]")
        }
        for argument in command.shown where argument.kind == "positional" {
            let name = "\\fI\(escaped(argument.value))\\fR" + (argument.isRepeating ? "..." : "")
            words.append(argument.isOptional ? "[\(name)]" : name)
        }
        line(words.joined(separator: " "))
        line(".YS")
    }

    /// The options that all commands with a dashboard share: the options of the default command.
    private var common: [ToolInfo.Argument] {
        (root.subcommands ?? []).first { $0.commandName == "pick" }?.shown ?? []
    }

    private func takesCommon(_ command: ToolInfo.Command) -> Bool { common.allSatisfy(command.shown.contains) }

    /// Returns the options of a command, without the options that every command has. If the command takes all of the
    /// common options, these are left out, too.
    private func own(_ command: ToolInfo.Command) -> [ToolInfo.Argument] {
        let listed = takesCommon(command) ? root.shown + common : root.shown
        return command.shown.filter { !listed.contains($0) }
    }

    private mutating func arguments(_ arguments: [ToolInfo.Argument]) {
        for argument in arguments {
            if argument.kind == "positional" {
                item("\\fI\(escaped(argument.value))\\fR", isRaw: true)
            } else {
                let names = (argument.names ?? []).map { "\\fB\(escaped($0.dashed))\\fR" }.joined(separator: ", ")
                item(names + (argument.kind == "option" ? " \\fI\(escaped(argument.value))\\fR" : ""), isRaw: true)
            }
            var words = argument.abstract ?? ""
            if let values = argument.allValues, !values.isEmpty {
                words += " One of \(values.joined(separator: ", "))."
            }
            if let value = argument.defaultValue, argument.kind != "flag" { words += " (default: \(value))" }
            line(escaped(words))
            if let more = argument.discussion { line(escaped(more)) }
        }
    }

    private mutating func chapter(_ chapter: Reference) {
        section(chapter.heading)
        if !chapter.introduction.isEmpty { paragraph(chapter.introduction) }
        for table in chapter.tables {
            if chapter.tables.count > 1 { line(".SS \"\(escaped(table.title))\"") }
            for row in table.rows {
                item(row.term)
                line(escaped(row.text))
            }
        }
    }

    /// Writes paragraphs; indented lines keep their layout.
    private mutating func discussion(_ text: String?) {
        var keepsLayout = false
        for raw in (text ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            let isCode = raw.hasPrefix("  ")
            if isCode != keepsLayout {
                if isCode { line(".PP") }
                line(isCode ? ".nf\n.RS" : ".RE\n.fi")
                keepsLayout = isCode
            }
            if raw.allSatisfy(\.isWhitespace) { line(".PP") } else { line(escaped(String(raw))) }
        }
        if keepsLayout { line(".RE\n.fi") }
    }

    private mutating func section(_ name: String) { line(".SH \(name)") }

    private mutating func paragraph(_ words: String) {
        line(".PP")
        line(escaped(words))
    }

    private mutating func item(_ name: String, isRaw: Bool = false) {
        line(".TP")
        line(isRaw ? name : "\\fB\(escaped(name))\\fR")
    }

    private mutating func line(_ words: String) {
        // A second paragraph break is skipped, because mandoc warns of two in a row.
        if words == ".PP", text.hasSuffix(".PP\n") || text.isEmpty { return }
        text += words + "\n"
    }

    private func lowered(_ words: String?) -> String {
        guard var words, let first = words.first else { return "" }
        words.replaceSubrange(words.startIndex...words.startIndex, with: first.lowercased())
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }

    /// Escapes a text, so that roff reads no part of it as a request.
    private func escaped(_ words: String) -> String {
        var result = ""
        for letter in words {
            switch letter {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "`", "'": result += letter == "`" ? "\\(ga" : "\\(aq"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            default: result.append(letter)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }
}
