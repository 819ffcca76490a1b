// SPDX-License-Identifier: MIT

import Frames

// Key dispatch: a key is handled as its intent in the key map, else as input to the line that is being typed.
extension State {
    /// Handles a key. On a screen that is too small, only keys that work without the picture have an effect. The user
    /// would see neither what other keys act on nor what they ask.
    ///
    /// Esc and a key that follow each other fast arrive as that key with Alt. Where such a key has no meaning, it is
    /// handled as the two keys.
    mutating func press(_ key: KeyPress) -> [Effect] {
        if key.modifiers.contains(.alt), !hasMeaning(key) {
            return press(KeyPress(.escape)) + press(KeyPress(key.key, key.modifiers.subtracting(.alt)))
        }
        let intent = KeyMap.intent(for: key, in: context, time: timeKeys)
        if Layout.isTooSmall(size), intent?.needsPicture ?? true { return [] }
        endMessage()
        if case .help(var help) = mode, help.isTyping, key != .control("c") {
            help.type(key, in: HelpBox(self))
            mode = .help(help)
            revision += 1
            return []
        }
        if let intent, intent != .editLine { return handle(intent) }
        guard let line = typedLine else { return pressUnbound(key) }
        var editor = LineEditor(line, cursor: typing.cursor)
        switch (key.key, key.modifiers) {
        case (.character(let character), []), (.character(let character), .shift): editor.insert(String(character))
        // Backspace on an empty line closes it.
        case (.backspace, _) where line.isEmpty: return handle(.abort)
        default: guard editor.press(key) else { return [] }
        }
        show(editor, insteadOf: line)
        return []
    }

    /// Whether a key is bound here, or edits the line that is being typed.
    private func hasMeaning(_ key: KeyPress) -> Bool {
        if KeyMap.intent(for: key, in: context, time: timeKeys) != nil { return true }
        guard let line = typedLine else { return false }
        var editor = LineEditor(line, cursor: typing.cursor)
        return editor.press(key)
    }

    /// Whether a line is being typed, so that characters are its text.
    package var isTyping: Bool {
        if case .help(let help) = mode { return help.isTyping }
        return typedLine != nil
    }

    /// Adds typed characters to the line that is being typed, at once.
    mutating func type(characters text: String) {
        guard !Layout.isTooSmall(size) else { return }
        endMessage()
        paste(text)
    }

    /// Clears a sticky or plain message, because a key was pressed or the mouse clicked. A warning stays until it
    /// expires, but not in a recording, where the time that is shown may stand still.
    mutating func endMessage() {
        guard let status, status.isSticky || status.tone == .plain || isReplaying else { return }
        self.status = nil
        revision += 1
    }

    /// Handles a key without a binding. A key with Shift is handled like the same key without Shift. If that key has no
    /// binding either, and the context is a view, shows a message, which names the other views that bind the key.
    private mutating func pressUnbound(_ key: KeyPress) -> [Effect] {
        if key.modifiers == .shift, let intent = KeyMap.intent(for: KeyPress(key.key), in: context, time: timeKeys) {
            return handle(intent)
        }
        guard context.isView else { return [] }
        let views = ViewID.views(binding: key)
        notify(
            views.isEmpty
                ? "\(KeyMap.name(of: key, options.glyphs)) is not bound; ? lists the keys" : ViewID.words(for: views))
        return []
    }

    /// The filter or command that is being typed; nil if no line is being typed.
    private var typedLine: String? {
        switch mode {
        case .filter(let line), .command(let line): line
        case .normal, .confirm, .help, .marks: nil
        }
    }

    /// Shows the edited line and its cursor; a change of the text drops the completions.
    private mutating func show(_ editor: LineEditor, insteadOf line: String) {
        let text = editor.text
        if text != line {
            if case .command = mode { typeCommand(text) } else { type(text) }
        }
        typing.cursor = editor.cursor
        revision += 1
    }

    /// Inserts pasted text, without newlines, into the typed line; if no line is being typed, shows a message. On a
    /// screen that is too small, does nothing.
    mutating func paste(_ text: String) {
        guard !Layout.isTooSmall(size) else { return }
        let text = text.filter { !$0.isNewline }
        if case .help(var help) = mode, help.isTyping {
            help.look(for: help.search + text, in: HelpBox(self))
            mode = .help(help)
            revision += 1
            return
        }
        guard let line = typedLine else { return notify("pasted text goes into a line: press / or : first") }
        var editor = LineEditor(line, cursor: typing.cursor)
        editor.insert(text)
        show(editor, insteadOf: line)
    }
}
