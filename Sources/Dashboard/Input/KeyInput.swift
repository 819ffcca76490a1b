import Frames

// What a key means: an intent by the table, else a letter of the line that is being typed.
extension State {
    mutating func press(_ key: KeyPress) -> [Effect] {
        endMessage()
        if case .help = mode, helpSearch.isTyping, key != .control("c") {
            typeHelpSearch(key)
            return []
        }
        if let intent = KeyMap.intent(for: key, in: context), intent != .editLine { return handle(intent) }
        guard let line = typedLine else { return pressUnbound(key) }
        var editor = LineEditor(line, cursor: typing.cursor)
        switch (key.key, key.modifiers) {
        case (.character(let character), []), (.character(let character), .shift): editor.insert(String(character))
        // Of an empty line the sign before it goes.
        case (.backspace, _) where line.isEmpty: return handle(.abort)
        default: guard editor.press(key) else { return [] }
        }
        retype(editor, instead: line)
        return []
    }

    /// A key ends messages that were for reading; warnings stay for their time.
    mutating func endMessage() {
        guard let status, status.isSticky || status.tone == .plain else { return }
        self.status = nil
        revision += 1
    }

    /// Says that a key has no meaning here; with Shift, an arrow means what it means without.
    private mutating func pressUnbound(_ key: KeyPress) -> [Effect] {
        if key.modifiers == .shift, let intent = KeyMap.intent(for: KeyPress(key.key), in: context) {
            return handle(intent)
        }
        if context.isView { notify("\(KeyMap.name(of: key, options.glyphs)) is not bound; ? lists the keys") }
        return []
    }

    /// The filter or command that is being typed.
    private var typedLine: String? {
        switch mode {
        case .filter(let line), .command(let line): line
        case .normal, .confirm, .help: nil
        }
    }

    /// Goes on with an edited line; a line that only has its cursor elsewhere keeps its completions.
    private mutating func retype(_ editor: LineEditor, instead line: String) {
        let text = editor.text
        if text != line {
            if case .command = mode { typeCommand(text) } else { type(text) }
        }
        typing.cursor = editor.cursor
        revision += 1
    }

    /// Goes on typing with what was pasted, on one line; where none is being typed a text is no keys.
    mutating func paste(_ text: String) {
        guard let line = typedLine else { return notify("pasted text goes into a line: press / or : first") }
        var editor = LineEditor(line, cursor: typing.cursor)
        editor.insert(text.filter { !$0.isNewline })
        retype(editor, instead: line)
    }
}
